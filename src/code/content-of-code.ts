import { createContext, type ContentContext } from '../content/content-context.js';
import { type Connection, notRunning, type Running } from '../http/running.js';
import { codeAccess, codeSettings } from '../query/code-binding.js';

/** Returns a context with all rights. */
export function contextOfCode({ config, source }: Pick<Running, 'config' | 'source'>): ContentContext {
  const context = createContext(config, source, codeAccess);
  return { ...context, bind: { ...context.bind, settings: codeSettings(context.bind.settings) } };
}

/** Returns a function that creates such a context. It throws a 503 until the database has answered. */
export const contentOfCode = (connection: Connection) => (): ContentContext =>
  contextOfCode(connection.running ?? notRunning(notYet));

const notYet =
  'register() runs before there are content types and entries; reach for them in functions given to use(), or in resolvers';
