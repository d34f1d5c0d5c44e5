import { fieldErrors } from '../errors.js';
import { type Undone, unreadNames } from '../content/refuse-or-tell.js';
import { decodeOrNull, isRecord } from '../values.js';
import { notOfType, splitPath } from '../schema/findings.js';

/** Information about a file from a client. Absent values are not changed. As in Strapi v4, null counts as absent. */
export interface FileInfo {
  readonly name?: string;
  readonly alternativeText?: string;
  readonly caption?: string;
  /** Set by the media library of the panel only: the folder of the file, and its path. */
  readonly folder?: number | null;
  readonly folderPath?: string;
}

/** Called with names in a `fileInfo` that are not read. */
type Tell = (unread: readonly Undone[]) => void;

const nobody: Tell = () => undefined;

/** Reads the `fileInfo` of one file, a JSON string or an object. Throws a ValidationError with the message of Strapi v4. */
export function parseFileInfo(input: unknown, tell = nobody): FileInfo {
  return input === undefined ? {} : parseOne(input, 'fileInfo', tell);
}

/** Reads the `fileInfo` of several files, in their order: a JSON string of a list, or a list of objects or JSON strings. */
export function parseFileInfos(input: unknown, tell = nobody): readonly FileInfo[] {
  if (input === undefined) return [];
  const list = typeof input === 'string' ? decodeOrNull(input) : input;
  if (!Array.isArray(list)) throw wrongType('fileInfo', 'array', null, input);
  return list.map((item, index) => parseOne(item, `fileInfo[${String(index)}]`, tell));
}

const names = ['name', 'alternativeText', 'caption'] as const;

function parseOne(input: unknown, path: string, tell: Tell): FileInfo {
  const info = typeof input === 'string' ? decodeOrNull(input) : input;
  if (!isRecord(info)) throw wrongType(path, 'object', null, input);
  const name = parseText(info['name'], `${path}.name`);
  const alternativeText = parseText(info['alternativeText'], `${path}.alternativeText`);
  const caption = parseText(info['caption'], `${path}.caption`);
  tell(unreadNames(Object.keys(info), { what: 'fileInfo', path: splitPath(path), names }));
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
