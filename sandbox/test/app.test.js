import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { buildApp } from '../src/app.js';

const COUNT = {
  type: 'object',
  required: ['count'],
  additionalProperties: false,
  properties: { count: { type: 'integer' }, unit: { type: 'string', default: 'pieces' } },
};

let app;

// A toy domain: what the app does for every domain does not depend on notes.
beforeEach(() => {
  app = buildApp();
  app.post('/toys', { schema: { body: COUNT } }, async (request) => request.body);
  app.get('/toys', { schema: { querystring: COUNT } }, async (request) => request.query);
});

function post(payload) {
  return app.inject({ method: 'POST', url: '/toys', payload });
}

function get(query) {
  return app.inject({ method: 'GET', url: '/toys', query });
}

test('a body is taken as it was sent, with defaults for what it leaves out', async () => {
  const response = await post({ count: 5 });

  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json(), { count: 5, unit: 'pieces' });
});

test('a body of the wrong type is refused, not converted', async () => {
  const response = await post({ count: '5' });

  assert.equal(response.statusCode, 400);
  assert.equal(response.json().message, 'body/count must be integer');
});

test('an unknown member of a body is refused, not dropped', async () => {
  const response = await post({ count: 5, colour: 'red' });

  assert.equal(response.statusCode, 400);
  assert.equal(response.json().message, 'body must NOT have additional properties');
});

test('a parameter of the query is converted to the type of its schema', async () => {
  const response = await get({ count: '5' });

  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json(), { count: 5, unit: 'pieces' });
});

test('a parameter of the query that is not of its type is refused', async () => {
  const response = await get({ count: 'many' });

  assert.equal(response.statusCode, 400);
  assert.equal(response.json().message, 'querystring/count must be integer');
});

test('an unknown route answers 404 in the form of every other error', async () => {
  const response = await app.inject({ method: 'GET', url: '/no/such/route' });

  assert.equal(response.statusCode, 404);
  assert.deepEqual(response.json(), {
    statusCode: 404,
    error: 'Not Found',
    message: 'Route GET:/no/such/route not found',
  });
});
