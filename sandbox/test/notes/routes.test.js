import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { buildApp } from '../../src/app.js';
import { NoteStore } from '../../src/notes/store.js';

const MILK = { title: 'Milk', body: 'Two litres' };
const BREAD = { title: 'Bread', body: '' };

let app;

beforeEach(() => {
  app = buildApp();
});

function post(payload) {
  return app.inject({ method: 'POST', url: '/notes', payload });
}

function get(url) {
  return app.inject({ method: 'GET', url });
}

describe('POST /notes', () => {
  test('answers 201 with the stored note and its address', async () => {
    const response = await post(MILK);

    assert.equal(response.statusCode, 201);
    assert.equal(response.headers.location, '/notes/1');
    assert.deepEqual(response.json(), { id: '1', ...MILK });
  });

  const longest = { title: 't'.repeat(200), body: 'b'.repeat(10_000) };

  test('takes a title of 200 and a body of 10000 characters', async () => {
    const response = await post(longest);

    assert.equal(response.statusCode, 201);
    assert.deepEqual(response.json(), { id: '1', ...longest });
  });

  const refused = {
    'no title': { body: '' },
    'no body': { title: 'Milk' },
    'an empty title': { ...MILK, title: '' },
    'a title that is too long': { ...MILK, title: `${longest.title}t` },
    'a body that is too long': { ...MILK, body: `${longest.body}b` },
    'a title that is a number': { ...MILK, title: 5 },
    'a body that is null': { ...MILK, body: null },
    'an id': { ...MILK, id: '7' },
    'an unknown member': { ...MILK, colour: 'red' },
    'an array for a note': [MILK],
  };

  for (const [what, payload] of Object.entries(refused)) {
    test(`answers 400 to ${what}, and stores nothing`, async () => {
      const response = await post(payload);

      assert.equal(response.statusCode, 400);
      assert.equal(response.json().error, 'Bad Request');
      assert.deepEqual((await get('/notes')).json(), []);
    });
  }
});

describe('GET /notes', () => {
  test('answers an empty array where there are no notes', async () => {
    const response = await get('/notes');

    assert.equal(response.statusCode, 200);
    assert.deepEqual(response.json(), []);
  });

  test('answers all notes in order of creation', async () => {
    await post(MILK);
    await post(BREAD);

    assert.deepEqual((await get('/notes')).json(), [
      { id: '1', ...MILK },
      { id: '2', ...BREAD },
    ]);
  });
});

describe('GET /notes/:id', () => {
  test('answers the note', async () => {
    await post(MILK);
    const response = await get('/notes/1');

    assert.equal(response.statusCode, 200);
    assert.deepEqual(response.json(), { id: '1', ...MILK });
  });

  test('answers 404 for an id that no note has', async () => {
    const response = await get('/notes/no-such-note');

    assert.equal(response.statusCode, 404);
    assert.deepEqual(response.json(), {
      statusCode: 404,
      error: 'Not Found',
      message: 'Note not found',
    });
  });
});

describe('the notes of an app', () => {
  test('are its own', async () => {
    await post(MILK);
    app = buildApp();

    assert.deepEqual((await get('/notes')).json(), []);
  });

  test('are those of the store that the app is given', async () => {
    const notes = new NoteStore();
    const note = notes.create(BREAD);
    app = buildApp({ notes });

    assert.deepEqual((await get('/notes')).json(), [note]);
  });
});
