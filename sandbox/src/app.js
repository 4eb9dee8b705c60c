/** Builds the app: makes the stores, hands them to the domains, registers the domains' routes. */

import Fastify from 'fastify';

import { notesRoutes } from './notes/routes.js';
import { NoteStore } from './notes/store.js';
import { compileValidator } from './validation.js';

/**
 * Returns an app that does not listen yet: a test sends requests to it with `app.inject()`.
 *
 * @param {object} [options]
 * @param {string} [options.logLevel] of the log that goes to stdout; `silent` writes none
 * @param {NoteStore} [options.notes] the store that all domains share; a new, empty one by default
 */
export function buildApp({ logLevel = 'silent', notes = new NoteStore() } = {}) {
  const app = Fastify({ logger: { level: logLevel } });
  app.setValidatorCompiler(compileValidator);
  app.register(notesRoutes, { notes });
  return app;
}
