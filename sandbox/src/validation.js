/** Decides how strictly requests are held to the schemas of their routes. */

import Ajv from 'ajv';

/*
 * Fastify's own settings are lenient: they turn 5 into "5" and drop members that no schema knows. A
 * client with a misspelt member would then be told that all is well. So a body counts as it was
 * sent: its types are not changed, and members that a schema does not allow are refused.
 */
const bodies = new Ajv({ useDefaults: true });

/*
 * A parameter of the path or the query is always text, so that "5" is the only way to write 5.
 * These are turned into the types that their schema names.
 */
const parameters = new Ajv({ useDefaults: true, coerceTypes: true });

/** The validator compiler of Fastify: makes a function that validates one part of a request. */
export function compileValidator({ schema, httpPart }) {
  return (httpPart === 'body' ? bodies : parameters).compile(schema);
}
