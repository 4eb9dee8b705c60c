/** Reads the settings of the service from environment variables, and refuses bad ones early. */

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const HIGHEST_PORT = 65535;

/**
 * @param {Record<string, string | undefined>} env such as `process.env`
 * @returns {{ host: string, port: number, logLevel: string }}
 * @throws {Error} whose message names the variable with a bad value
 */
export function readSettings(env) {
  return {
    host: env.HOST || '127.0.0.1',
    port: readPort(env.PORT || '3000'),
    logLevel: readLogLevel(env.LOG_LEVEL || 'info'),
  };
}

function readPort(text) {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Infinity;
  if (port > HIGHEST_PORT) {
    throw new Error(`PORT: expected a whole number from 0 to ${HIGHEST_PORT}, found "${text}"`);
  }
  return port;
}

function readLogLevel(text) {
  if (!LOG_LEVELS.includes(text)) {
    throw new Error(`LOG_LEVEL: expected one of ${LOG_LEVELS.join(', ')}, found "${text}"`);
  }
  return text;
}
