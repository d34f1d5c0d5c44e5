import { createContext, type ContentContext } from '../content/content-context.js';
import { type Connection, notRunning } from '../http/running.js';
import { codeAccess, codeSettings } from '../query/code-binding.js';

/** Returns a function that creates a context with all rights. It throws a 503 until the database has answered. */
export const contentOfCode = (connection: Connection) => (): ContentContext => {
  const { config, source } = connection.running ?? notRunning(notYet);
  const context = createContext(config, source, codeAccess);
  return { ...context, bind: { ...context.bind, settings: codeSettings(context.bind.settings) } };
};

const notYet =
  'register() runs before there are content types and entries; reach for them in functions given to use(), or in resolvers';
