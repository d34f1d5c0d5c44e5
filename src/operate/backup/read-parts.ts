import { createHash } from 'node:crypto';
import { packageVersion } from '#base/package-root.js';
import { ByteReader } from '../transfer/byte-reader.js';
import { messageOf } from '#base/errors.js';
import { parseImported } from '../transfer/parse-imported.js';
import { isRecord, type Values } from '#base/values.js';
import { digestOf, formatVersion, isHead, largestPart, type Part, type PartHead } from './parts.js';

/** Maximum bytes of the first line, which says that a file is a backup, and of another one. */
const longestStart = 65_536;
const longestLine = 67_108_864;

/** A part as it is read, with the checksum of the lines up to it. Its bytes are valid until the next part is read. */
export interface ReadPart {
  readonly part: Part;
  readonly digest: string;
}

/** The error for a file that is no whole backup. The message continues the name of the file. */
export class NoBackup extends Error {}

/**
 * Reads the parts of a backup, and compares their checksums. Throws NoBackup if it is not one, of another version, cut or changed. What
 * it returned before may be wrong then.
 */
export async function* readParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<ReadPart> {
  const reader = new ByteReader(source);
  const whole = createHash('sha256');
  for (let number = 0; ; number += 1) {
    const line = await reader.line(number === 0 ? longestStart : longestLine);
    if (line === null) throw new NoBackup(number === 0 ? notOne : cut);
    const head = readHead(line, number);
    if (head.part === 'end' && head.whole !== whole.copy().digest('hex')) throw new NoBackup(checksumMessage);
    const payload = await reader.take(head.bytes);
    if (payload === null) throw new NoBackup(cut);
    if (digestOf(payload) !== head.sha256) throw new NoBackup(checksumMessage);
    whole.update(line);
    yield { part: { head, payload: [payload] }, digest: whole.copy().digest('hex') };
    if (head.part === 'end') break;
  }
  if ((await reader.line(1)) !== null) throw new NoBackup(checksumMessage);
}

export const notOne = 'is not a backup of npx mangrove backup';
export const cut = 'is cut: its end is missing; use another backup';
export const checksumMessage = 'was changed or damaged: a checksum differs; use another backup';

type SealedHead = PartHead & { readonly bytes: number; readonly sha256: string; readonly whole?: string };

/** Returns the line of a part. The first one must be that of a start, and no other. */
function readHead(line: Buffer, number: number): SealedHead {
  const head = parse(line);
  if (number === 0 && head?.['part'] !== 'start') throw new NoBackup(notOne);
  if (number === 0 && head?.['format'] !== formatVersion)
    throw new NoBackup(
      `has format ${String(head?.['format'])}, and this version of Mangrove reads format ${String(formatVersion)}; restore it with the version that has written it (${String(head?.['mangrove'])})`,
    );
  if (number === 0 && isNewer(String(head?.['mangrove']), packageVersion))
    throw new NoBackup(
      `was made by Mangrove ${String(head?.['mangrove'])}, and this is ${packageVersion}; restore it with that version or a newer one`,
    );
  const isSized = Number.isSafeInteger(head?.['bytes']) && Number(head?.['bytes']) >= 0 && Number(head?.['bytes']) <= largestPart;
  if (head === null || !isSized || !isHead(head) || (number > 0 && head['part'] === 'start')) throw new NoBackup(checksumMessage);
  return head as unknown as SealedHead; // checked
}

/** Returns whether a version, such as `1.2.3`, is newer than another one. What follows the three numbers is ignored. */
function isNewer(version: string, other: string): boolean {
  const [numbers, others] = [version, other].map((text) => text.split(/[.+-]/, 3).map(Number));
  const differing = numbers?.findIndex((number, index) => number !== others?.[index]) ?? -1;
  return differing !== -1 && Number(numbers?.[differing]) > Number(others?.[differing]);
}

/** Returns the object of a line; null if it is none. Throws NoBackup for one that would take too much memory. */
function parse(line: Buffer): Values | null {
  try {
    const { value } = parseImported(line, 'a line of it');
    return isRecord(value) ? value : null;
  } catch (error) {
    throw new NoBackup(`is no backup that can be read: ${messageOf(error)}`);
  }
}
