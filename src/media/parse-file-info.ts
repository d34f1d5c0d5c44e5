import { fieldErrors } from '../errors.js';
import { isRecord } from '../values.js';
import { notOfType } from '../schema/findings.js';

/** Information about a file from a client. Absent values are not changed. As in Strapi v4, null counts as absent. */
export interface FileInfo {
  readonly name?: string;
  readonly alternativeText?: string;
  readonly caption?: string;
  /** Set by the media library of the panel only: the folder of the file, and its path. */
  readonly folder?: number | null;
  readonly folderPath?: string;
}

/** Reads the `fileInfo` of one file, a JSON string or an object. Throws a ValidationError with the message of Strapi v4. */
export function parseFileInfo(input: unknown): FileInfo {
  return input === undefined ? {} : parseOne(input, 'fileInfo');
}

/** Reads the `fileInfo` of several files, in their order: a JSON string of a list, or a list of objects or JSON strings. */
export function parseFileInfos(input: unknown): readonly FileInfo[] {
  if (input === undefined) return [];
  const list = typeof input === 'string' ? decode(input) : input;
  if (!Array.isArray(list)) throw wrongType('fileInfo', 'array', null, input);
  return list.map((item, index) => parseOne(item, `fileInfo[${String(index)}]`));
}

function parseOne(input: unknown, path: string): FileInfo {
  const info = typeof input === 'string' ? decode(input) : input;
  if (!isRecord(info)) throw wrongType(path, 'object', null, input);
  const name = parseText(info['name'], `${path}.name`);
  const alternativeText = parseText(info['alternativeText'], `${path}.alternativeText`);
  const caption = parseText(info['caption'], `${path}.caption`);
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

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const wrongType = (path: string, type: string, value: unknown, original: unknown): Error =>
  fieldErrors([{ path: path.split(/[.[\]]+/).filter((part) => part !== ''), message: notOfType(path, type, value, original) }]);
