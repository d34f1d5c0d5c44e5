import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import slugify from '@sindresorhus/slugify';

interface Relation {
  readonly type: string;
  readonly relation?: string;
}

const relates =
  (...kinds: readonly string[]) =>
  ({ type, relation = '' }: Relation): boolean =>
    type === 'relation' && kinds.includes(relation);

/** `relations` of @strapi/utils: functions of models and of their attributes. */
export const relationHelpers = {
  constants: { MANY_RELATIONS: ['oneToMany', 'manyToMany'] },
  getRelationalFields: ({ attributes }: { readonly attributes: Readonly<Record<string, Relation>> }): string[] =>
    Object.keys(attributes).filter((name) => attributes[name]?.type === 'relation'),
  isOneToAny: relates('oneToOne', 'oneToMany'),
  isManyToAny: relates('manyToOne', 'manyToMany'),
  isAnyToOne: relates('oneToOne', 'manyToOne'),
  isAnyToMany: relates('oneToMany', 'manyToMany'),
};

const units = ['Bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** `file` of @strapi/utils: sizes and streams. */
export const fileHelpers = {
  bytesToKbytes: (bytes: number): number => Math.round(bytes / 10) / 100,
  kbytesToBytes: (kilobytes: number): number => kilobytes * 1_000,
  /** Returns a size such as `2 KB`. */
  bytesToHumanReadable: (bytes: number): string => {
    const power = bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3);
    return `${String(Math.round(bytes / 1_000 ** power))} ${units[power] ?? ''}`;
  },
  streamToBuffer: async (stream: Readable): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(Buffer.from(part as Uint8Array)); // bytes, or text
    return Buffer.concat(parts);
  },
  getStreamSize: async (stream: Readable): Promise<number> => {
    let size = 0;
    stream.on('data', (part: string | Uint8Array) => (size += Buffer.byteLength(part)));
    await finished(stream.resume());
    return size;
  },
};

/** Helpers of @strapi/utils for texts. */
export const textHelpers = {
  nameToCollectionName: (name: string): string => slugify(name, { separator: '_' }),
  toRegressedEnumValue: (value: string): string => slugify(value, { decamelize: false, lowercase: false, separator: '_' }),
  stringIncludes: (values: readonly unknown[], value: unknown): boolean => values.map(String).includes(String(value)),
  stringEquals: (one: unknown, other: unknown): boolean => String(one) === String(other),
  isCamelCase: (value: string): boolean => /^[a-z][a-zA-Z0-9]+$/.test(value),
  isKebabCase: (value: string): boolean => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(value),
  startsWithANumber: (value: string): boolean => /^\d/.test(value),
  /** Puts a character before each of certain characters of a text. */
  escapeQuery: (text: string, characters: string, before = '\\'): string =>
    [...text].map((one) => (characters.includes(one) ? before + one : one)).join(''),
  generateTimestampCode: (date: Date = new Date()): string => date.getTime().toString(36),
};
