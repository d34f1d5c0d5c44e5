import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '#base/package-root.js';

/** A request as a page shows it, by curl. */
export interface ShownRequest {
  /** Path and query. */
  readonly path: string;
  readonly options: RequestInit;
}

/** Reads what a curl command, given as words, sends to localhost:1337. Throws on an option that is not known here. */
export async function readCurl([, ...words]: readonly string[]): Promise<ShownRequest> {
  const headers = new Headers();
  const form = new FormData();
  let [method, body, target]: [string?, string?, string?] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-g') continue;
    else if (word === '-X') method = words.shift();
    else if (word === '-d') body = words.shift();
    else if (word === '-H') headers.append(...splitAt(words.shift(), /: */));
    else if (word === '-F') await appendField(form, ...splitAt(words.shift(), /=/));
    else if (word.startsWith('-')) throw new Error(`curl ${word} is not known to the tests of pages`);
    else target = word.replace(/^(http:\/\/)?localhost:1337/, '');
  }
  const isForm = [...form.keys()].length > 0;
  const sent = isForm ? form : body;
  const options = { method: method ?? (sent === undefined ? 'GET' : 'POST'), headers, ...(sent !== undefined && { body: sent }) };
  return { path: target ?? '', options };
}

async function appendField(form: FormData, name: string, value: string): Promise<void> {
  if (!value.startsWith('@')) return form.append(name, value);
  const file = path.join(packageRoot, value.slice(1));
  form.append(name, await openAsBlob(file, { type: 'image/jpeg' }), path.basename(file));
}

function splitAt(text = '', separator: RegExp): [string, string] {
  const [first = ''] = text.split(separator);
  return [first, text.slice(first.length).replace(separator, '')];
}
