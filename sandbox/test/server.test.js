import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../src/server.js', import.meta.url));
const LIMIT = { timeout: 60_000 };

/** Starts the server; it does not outlive the test, even one that fails. */
function start(context, variables) {
  const server = spawn(process.execPath, [SERVER], { env: { ...process.env, ...variables } });
  context.after(() => server.kill('SIGKILL'));
  return server;
}

/** Waits for the line of the log that tells the address, and returns the address. */
async function address(server) {
  for await (const line of createInterface({ input: server.stdout })) {
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (found) {
      return found;
    }
  }
  throw new Error('the server ended without listening');
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`the server answers requests until ${signal}, then ends without an error`, LIMIT, async (t) => {
    const server = start(t, { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info' });
    const ended = once(server, 'exit');
    const response = await fetch(`${await address(server)}/no/such/route`);
    server.kill(signal);

    assert.equal(response.status, 404);
    assert.deepEqual(await ended, [0, null]);
  });
}

test('a bad setting ends the start with one line that names the variable', LIMIT, async (t) => {
  const server = start(t, { PORT: 'http' });
  let errors = '';
  server.stderr.on('data', (data) => {
    errors += data;
  });

  assert.deepEqual(await once(server, 'close'), [1, null]);
  assert.equal(errors, 'PORT: expected a whole number from 0 to 65535, found "http"\n');
});
