/** Starts the service, and stops it when the process is told to. */

import { buildApp } from './app.js';
import { readSettings } from './config/env.js';

try {
  await serve(readSettings(process.env));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function serve(settings) {
  const app = buildApp(settings);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // Requests that have begun are answered; then nothing keeps the process alive.
    process.once(signal, () => app.close());
  }
  await app.listen({ host: settings.host, port: settings.port });
}
