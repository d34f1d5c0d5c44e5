import { GraphQLError } from 'graphql';
import { ApiError } from '../../errors.js';
import { isRecord } from '../../values.js';
import type { FormatHook, GraphqlSettings } from './graphql-settings.js';

/** Turns an error into the form that clients receive. */
export type FormatError = (error: Readonly<GraphQLError | Error>) => GraphQLError;

/** The settings of the form of errors. */
interface ErrorFormat {
  readonly stacktraces: boolean;
  /** Called with errors that are shown as a plain `Internal Server Error`. */
  readonly report: (error: unknown) => void;
}

/** Returns errors in the form of Strapi v4, changed by the hook of the settings. `report` takes the errors that are not shown. */
export function createErrorFormat(
  { stacktraces, formatError: hook }: Pick<GraphqlSettings, 'stacktraces' | 'formatError'>,
  report: ErrorFormat['report'],
): FormatError {
  return (error) => {
    const formatted = formatError(error, { stacktraces, report });
    // The result of a hook is sent unchanged; graphql-http only serializes it.
    return hook === null ? formatted : (callHook(hook, { formatted, error }, report) as GraphQLError);
  };
}

interface Formatted {
  readonly formatted: GraphQLError;
  readonly error: Readonly<GraphQLError | Error>;
}

/**
 * Returns the result of the hook for an error; the unchanged error if the hook throws or returns nothing. Hooks written for
 * Strapi v4 look at `originalError`, which is not sent.
 */
function callHook(hook: FormatHook, { formatted, error }: Formatted, report: ErrorFormat['report']): unknown {
  const originalError = error instanceof GraphQLError ? error.originalError : error;
  try {
    const given: unknown = hook(Object.defineProperty(formatted.toJSON(), 'originalError', { value: originalError }), error);
    return isRecord(given) ? given : formatted;
  } catch (thrown) {
    report(thrown);
    return formatted;
  }
}

/** Errors that clients may read keep their name and code; any other becomes a plain Internal Server Error. */
function formatError(error: Readonly<GraphQLError | Error>, format: ErrorFormat): GraphQLError {
  const thrown = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  if (thrown instanceof ApiError) return apiError(thrown);
  if (error instanceof GraphQLError && isShown(error)) return withCode(error, format);
  format.report(thrown);
  return new GraphQLError('Internal Server Error', { extensions: { code: 'INTERNAL_SERVER_ERROR', ...stack(thrown, format) } });
}

function apiError({ name, message: given, details }: ApiError): GraphQLError {
  const message = name === 'ForbiddenError' && given === 'Forbidden' ? 'Forbidden access' : given;
  return new GraphQLError(message, { extensions: { error: { name, message, details: details ?? {} }, code: codeOf(name) } });
}

const codes: Readonly<Record<string, string>> = {
  ForbiddenError: 'FORBIDDEN',
  UnauthorizedError: 'FORBIDDEN',
  PolicyError: 'FORBIDDEN',
  ValidationError: 'BAD_USER_INPUT',
};

const codeOf = (name: string): string => codes[name] ?? `STRAPI_${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`;

/**
 * GraphQL's own errors, and those of custom resolvers: plain ones, and ones with `extensions`, which are written for clients, such as a
 * GraphQLError or ApolloError of any package. Errors of other classes or with further fields come from libraries and may reveal internals.
 */
function isShown({ originalError }: GraphQLError): boolean {
  if (originalError === undefined || isRecord((originalError as { extensions?: unknown }).extensions)) return true;
  return originalError.constructor === Error && Object.keys(originalError).length === 0;
}

function withCode(error: GraphQLError, format: ErrorFormat): GraphQLError {
  const { code = 'INTERNAL_SERVER_ERROR', ...extensions } = error.extensions;
  const exception = error.originalError === undefined ? {} : stack(error.originalError, format);
  return withExtensions(error, { ...extensions, code, ...exception }, error.originalError ?? null);
}

const stack = (error: unknown, { stacktraces }: ErrorFormat): { exception?: { stacktrace: string[] } } =>
  stacktraces && error instanceof Error ? { exception: { stacktrace: (error.stack ?? '').split('\n') } } : {};

/** A mistake in the request, with the code of the phase that found it. The inner error is already part of its message. */
export const coded = (error: GraphQLError, code: string): GraphQLError =>
  withExtensions(error, { ...error.extensions, code }, null);

const withExtensions = (
  error: GraphQLError,
  extensions: Readonly<Record<string, unknown>>,
  originalError: Error | null,
): GraphQLError =>
  new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    originalError,
    extensions,
  });
