import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSettings } from '../../src/config/env.js';

test('without variables the service listens on port 3000 of this machine only', () => {
  assert.deepEqual(readSettings({}), { host: '127.0.0.1', port: 3000, logLevel: 'info' });
});

test('variables change the settings', () => {
  const env = { HOST: '0.0.0.0', PORT: '8080', LOG_LEVEL: 'silent' };

  assert.deepEqual(readSettings(env), { host: '0.0.0.0', port: 8080, logLevel: 'silent' });
});

test('an empty variable counts as one that is not set', () => {
  assert.deepEqual(readSettings({ HOST: '', PORT: '', LOG_LEVEL: '' }), readSettings({}));
});

for (const port of ['-1', '65536', '80.5', '0x50', 'http', ' ']) {
  test(`"${port}" is not a port`, () => {
    assert.throws(() => readSettings({ PORT: port }), {
      message: `PORT: expected a whole number from 0 to 65535, found "${port}"`,
    });
  });
}

test('an unknown log level is refused', () => {
  assert.throws(() => readSettings({ LOG_LEVEL: 'loud' }), {
    message:
      'LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent, found "loud"',
  });
});
