import { inPlaceOf } from '#base/limits/exceeded.js';
import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { ApiError } from '#base/errors.js';
import { isHttpError } from '#base/http-errors.js';
import { isRecord } from '#base/values.js';
import { isBug } from '#http/error-response.js';
import type { FormatHook, GraphqlSettings } from './graphql-settings.js';

/** Converts an error to the form that clients receive. */
export type FormatError = (error: Readonly<GraphQLError | Error>) => GraphQLError;

interface ErrorFormat extends Pick<GraphqlSettings, 'stacktraces' | 'introspection' | 'formatError'> {
  /** Called with errors that clients see as `Internal Server Error`. */
  readonly report: (error: unknown) => void;
  /** Called with each error. */
  readonly count: (error: unknown) => void;
}

/** Returns a function that converts errors to the form of Strapi v4, and calls the hook of the settings. */
export const createErrorFormat =
  (format: ErrorFormat): FormatError =>
  (error) => {
    const formatted = formatError(error, format);
    // The result of a hook is sent unchanged, because graphql-http only serializes it.
    return format.formatError === null ? formatted : (callHook(format.formatError, formatted, error, format) as GraphQLError);
  };

/**
 * Returns the result of the hook; the unchanged error if the hook throws or returns nothing. Hooks for Strapi v4 read
 * `originalError`, which is not sent.
 */
function callHook(
  hook: FormatHook,
  formatted: GraphQLError,
  error: Parameters<FormatError>[0],
  { report }: ErrorFormat,
): unknown {
  const originalError = error instanceof GraphQLError ? error.originalError : error;
  try {
    const given: unknown = hook(Object.defineProperty(formatted.toJSON(), 'originalError', { value: originalError }), error);
    return isRecord(given) ? given : formatted;
  } catch (thrown) {
    report(thrown);
    return formatted;
  }
}

/** Converts an error. Those that clients may see keep their name and code; others become an `Internal Server Error`. */
function formatError(error: Readonly<GraphQLError | Error>, format: ErrorFormat): GraphQLError {
  const thrown = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  format.count(thrown);
  if (thrown instanceof ApiError) return apiError({ ...partsOf(thrown), details: thrown.details ?? {} });
  if (isHttpError(thrown)) {
    if (isBug(thrown)) format.report(thrown);
    return apiError(partsOf(thrown));
  }
  if (error instanceof GraphQLError && isShown(error)) return withCode(discreet(error, format), format);
  format.report(thrown);
  return new GraphQLError('Internal Server Error', { extensions: { code: 'INTERNAL_SERVER_ERROR', ...stack(thrown, format) } });
}

/** Suggestions of names, by graphql-js and by `didYouMean` of this service. */
const suggestion = /(?: Did|; did) you mean [^?]*\?/g;

/**
 * Returns the error without the names that it suggests, unless clients may read the whole schema. Names of types and fields that a
 * client does not know would be told for near misses.
 */
function discreet(error: GraphQLError, { introspection }: ErrorFormat): GraphQLError {
  if (introspection) return error;
  const message = error.message.replaceAll(suggestion, '');
  return message === error.message ? error : withParts(error, { message });
}

interface ErrorParts {
  readonly name: string;
  readonly message: string;
  readonly details?: unknown;
}

const partsOf = ({ name, message, details }: ErrorParts): ErrorParts => ({
  name,
  message,
  ...(details !== undefined && { details }),
});

function apiError(parts: ErrorParts): GraphQLError {
  const { name, message: given } = parts;
  const message = name === 'ForbiddenError' && given === 'Forbidden' ? 'Forbidden access' : given;
  return new GraphQLError(message, { extensions: { error: { ...parts, message }, code: codeOf(name) } });
}

const codes: Readonly<Record<string, string>> = {
  ForbiddenError: 'FORBIDDEN',
  UnauthorizedError: 'FORBIDDEN',
  PolicyError: 'FORBIDDEN',
  ValidationError: 'BAD_USER_INPUT',
};

const codeOf = (name: string): string => codes[name] ?? `STRAPI_${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`;

/**
 * Returns whether clients may see an error: those of GraphQL, plain Errors of graphql-js or custom resolvers, and errors with
 * `extensions`, such as a GraphQLError or ApolloError of any package. Errors of other classes or with further properties come from
 * libraries and may reveal internals.
 */
function isShown({ originalError }: GraphQLError): boolean {
  if (originalError === undefined || isRecord((originalError as { extensions?: unknown }).extensions)) return true;
  return originalError.constructor === Error && Object.keys(originalError).length === 0;
}

/** The messages about a value that the type of its field does not allow, as another program may have stored it. */
const unfit = /^Cannot return null for non-nullable field |^\w+ cannot represent /;

function withCode(error: GraphQLError, format: ErrorFormat): GraphQLError {
  const { code = unfit.test(error.message) ? 'UNFIT_VALUE' : 'INTERNAL_SERVER_ERROR', ...extensions } = error.extensions;
  const exception = error.originalError === undefined ? {} : stack(error.originalError, format);
  return withParts(error, { extensions: { ...extensions, code, ...exception } });
}

const stack = (error: unknown, { stacktraces }: ErrorFormat): { exception?: { stacktrace: string[] } } =>
  stacktraces && error instanceof Error ? { exception: { stacktrace: (error.stack ?? '').split('\n') } } : {};

/**
 * Returns an error in the request, with the code of the phase that found it. The inner error is omitted, because its message is
 * already included.
 */
export const coded = (error: GraphQLError, code: string): GraphQLError =>
  withParts(error, { extensions: { ...error.extensions, code }, originalError: null });

function withParts(error: GraphQLError, parts: GraphQLErrorOptions & { readonly message?: string }): GraphQLError {
  const { message, nodes = null, source, positions, path, originalError, extensions } = error;
  const changed = new GraphQLError(parts.message ?? message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions,
    ...parts,
  });
  return inPlaceOf(error, changed);
}
