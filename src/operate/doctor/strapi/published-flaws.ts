import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#base/package-root.js';

/** A published flaw of Strapi. */
export interface PublishedFlaw {
  /** Such as `CVE-2023-22894`. */
  readonly id: string;
  /** Other names, such as `GHSA-jjqf-j4w7-92w8`. */
  readonly also?: readonly string[];
  /** The day, as `2023-04-19`. */
  readonly published: string;
  readonly severity: 'critical' | 'high' | 'moderate' | 'low' | 'unrated';
  /** The part of Strapi that has it, such as `panel`. */
  readonly part: string;
  /** The packages that have it, each with a range of versions as `isInRange` reads it. */
  readonly affected: readonly { readonly package: string; readonly range: string }[];
  readonly what: string;
  /** Why this service does not have it. */
  readonly here: string;
  readonly note?: string;
  /** The test that shows it. */
  readonly test: { readonly file: string; readonly title: string };
  readonly source: string;
}

interface PublishedFlaws {
  /** The day on which the sources were looked up. */
  readonly lookedUp: string;
  readonly flaws: readonly PublishedFlaw[];
}

/** Reads the flaws that docs/security-of-v4.md lists. */
export const readPublishedFlaws = (): PublishedFlaws =>
  JSON.parse(readFileSync(join(packageRoot, 'docs/security-of-v4.json'), 'utf8')) as PublishedFlaws; // shipped with the package
