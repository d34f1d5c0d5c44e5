import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '#base/package-root.js';

/** A service of compose.yaml, as far as tests look into it. */
export interface ComposeService {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly stop_grace_period?: string;
}

export const composeText: string = readFileSync(join(packageRoot, 'compose.yaml'), 'utf8');

/** compose.yaml with its anchors resolved. */
export const compose = parse(composeText, { merge: true }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
};

/** Returns a text of compose.yaml with `${NAME}`, `${NAME:-default}` and `${NAME:?message}` replaced. */
export const substituted = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (whole, name: string, kind?: string, other = '') => {
    const value = values[name] ?? (kind === '-' ? String(other) : undefined);
    if (value === undefined) throw new Error(`${whole} has no value`);
    return value;
  });
