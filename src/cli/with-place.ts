import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineIn, sourceEndings } from '../config/load-source.js';
import type { CodePlace } from '../strapi/code-problems.js';
import { lineOfKey, lineOfObject } from './find-line.js';

interface PlaceInput {
  /** Absolute path of the project. */
  readonly directory: string;
  readonly environment: string;
  /** The errors that files threw, by the message about them. */
  readonly causes: ReadonlyMap<string, unknown>;
  /** The places of messages about code. */
  readonly places: ReadonlyMap<string, CodePlace>;
}

/**
 * Returns a message with the file and line that it is about: `config/api.js:3: …`. The line is left out unless the error, the parser
 * or a single key tells it.
 */
export function withPlace(message: string, input: PlaceInput): string {
  if (isSetByVariable(message)) return message;
  const { directory, places, causes } = input;
  const place = places.get(message);
  const [, named, rest = ''] = /^([\w./@-]+\.(?:[cm]?[jt]s|json)): (.*)$/s.exec(message) ?? [];
  const file = named ?? place?.file;
  if (file === undefined || !existsSync(join(directory, file))) return message;
  const text = named === undefined ? message : rest;
  const source = readFileSync(join(directory, file), 'utf8');
  const line = place?.line ?? lineOfParser(text, source) ?? lineIn(causes.get(message), file);
  if (line !== null) return `${file}:${String(line)}: ${text}`;
  if (place?.object !== undefined) return placed(file, lineOfObject(source, place.object), text);
  const key = keyIn(text);
  if (key === null) return `${file}: ${text}`;
  const owner = ownerOf(file, key, input);
  return placed(owner, findKey(owner, key, directory), text);
}

const placed = (file: string, line: number | null, text: string): string =>
  `${file}${line === null ? '' : `:${String(line)}`}: ${text}`;

/** Returns the line that the message of a parser names; null if it names none. */
function lineOfParser(text: string, source: string): number | null {
  const [, line] = /\(line (\d+)(?: column \d+)?\)|\((\d+):\d+\)/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (line !== undefined) return Number(line);
  const [, position] = /in JSON at position (\d+)/.exec(text) ?? [];
  return position === undefined ? null : source.slice(0, Number(position)).split('\n').length;
}

/** Returns whether an environment variable sets what a message is about, so that no file does. */
function isSetByVariable(message: string): boolean {
  const [, name] = /\(environment variable (\w+)\)$/.exec(message) ?? [];
  return name !== undefined && process.env[name] !== undefined;
}

/** Returns the key that a message begins with. */
const keyIn = (text: string): string | null => /^(?:unknown key )?([\w$-]+(?:\.[\w$-]+)*)[ :]/.exec(text)?.[1] ?? null;

/** Returns the file that sets a key: that of the environment, if it has the key, otherwise the given one. */
function ownerOf(file: string, key: string, { directory, environment }: PlaceInput): string {
  const [, section] = /^config\/(\w+)\.\w+$/.exec(file) ?? [];
  if (section === undefined) return file;
  const over = [...sourceEndings, '.json'].map((ending) => `config/env/${environment}/${section}${ending}`);
  return over.find((path) => existsSync(join(directory, path)) && findKey(path, key, directory) !== null) ?? file;
}

function findKey(file: string, key: string, directory: string): number | null {
  const source = readFileSync(join(directory, file), 'utf8');
  return lineOfKey(source, key) ?? lineOfKey(source, `attributes.${key}`);
}
