import { fieldErrors } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { refuseOrLog, unreadNames } from '#content/refuse-or-log.js';
import { decodeOrNull, isRecord } from '#base/values.js';
import { notOfType, splitPath } from '#model/schema/findings.js';

/** Information about a file from a client. Absent values are not changed. As in Strapi v4, null counts as absent. */
export interface FileInfo {
  readonly name?: string;
  readonly alternativeText?: string;
  readonly caption?: string;
  /** Set by the media library of the panel only: the folder of the file, and its path. */
  readonly folder?: number | null;
  readonly folderPath?: string;
}

/** The context in which names that are not read are refused or told; they are ignored without one. */
type Context = Pick<ContentContext, 'bind' | 'notices'>;

/** Reads the `fileInfo` of one file, a JSON string or an object. Throws a ValidationError with the message of Strapi v4. */
export const parseFileInfo = (input: unknown, context?: Context): FileInfo =>
  input === undefined ? {} : parseOne(input, 'fileInfo', context);

/** Reads the `fileInfo` of several files, in their order: a JSON string of a list, or a list of objects or JSON strings. */
export function parseFileInfos(input: unknown, context?: Context): readonly FileInfo[] {
  if (input === undefined) return [];
  const list = typeof input === 'string' ? decodeOrNull(input) : input;
  if (!Array.isArray(list)) throw wrongType('fileInfo', 'array', null, input);
  return list.map((item, index) => parseOne(item, `fileInfo[${String(index)}]`, context));
}

const names = ['name', 'alternativeText', 'caption'] as const;

function parseOne(input: unknown, path: string, context: Context | undefined): FileInfo {
  const info = typeof input === 'string' ? decodeOrNull(input) : input;
  if (!isRecord(info)) throw wrongType(path, 'object', null, input);
  const name = parseText(info['name'], `${path}.name`);
  const alternativeText = parseText(info['alternativeText'], `${path}.alternativeText`);
  const caption = parseText(info['caption'], `${path}.caption`);
  if (context) refuseOrLog(unreadNames(Object.keys(info), { what: 'fileInfo', path: splitPath(path), names }), context);
  return {
    ...(name !== undefined && { name }),
    ...(alternativeText !== undefined && { alternativeText }),
    ...(caption !== undefined && { caption }),
  };
}

function parseText(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw wrongType(path, 'string', value, value);
}

const wrongType = (path: string, type: string, value: unknown, original: unknown): Error =>
  fieldErrors([{ path: splitPath(path), message: notOfType(path, type, value, original) }]);
