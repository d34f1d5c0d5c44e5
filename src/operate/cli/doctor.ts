import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkStrapi } from '../doctor/strapi/check-strapi.js';
import { readContext } from '../doctor/read-context.js';
import { type NamedFinding, runChecks } from '../doctor/checks.js';
import { allSections } from '#declarations.js';
import { features } from '#features.js';
import { countOf, print } from './print.js';
import { flag, parseOptions, text } from './usage-error.js';

export const usage = `usage: npx mangrove doctor [--strapi DIR] [--json]
  Lists what is not safe or not fit for production in the configuration and the database of the working directory, each with its remedy.
  Reads only, but for an object of one byte in S3, which is deleted again. Never prints secrets.
  The exit code is 1 if there is a problem, which must be solved before production, otherwise 0.
  --strapi DIR  instead, lists the published flaws in the versions of a project of Strapi, and what moving it changes. Asks no network
               and reads no database; loads the files of its config/, so that their code outside of functions runs
  --json       print { ok, problems, advice, checks: [{ name, state, text, remedy }] }; state is ok, advice, problem or unknown`;

/** Checks the service of the working directory. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { json, strapi } = parseOptions(args, { json: flag, strapi: text });
  const findings =
    strapi === undefined
      ? runChecks(await readContext({ directory: process.cwd(), sections: allSections, features }))
      : await checkStrapi(existing(strapi), allSections);
  const count = (state: NamedFinding['state']): number => findings.filter((finding) => finding.state === state).length;
  const [problems, advice] = [count('problem'), count('advice')];
  const summary = `${countOf(problems, 'problem')}, ${countOf(advice, 'piece of advice', 'pieces of advice')}`;
  if (json) print(JSON.stringify({ ok: problems === 0, problems, advice, checks: findings }, null, 2));
  else for (const line of [...findings.map(lineOf), summary]) print(line);
  return problems > 0 ? 1 : 0;
}

function existing(folder: string): string {
  const directory = resolve(folder);
  if (!existsSync(directory)) throw new Error(`there is no folder ${directory}`);
  return directory;
}

function lineOf({ name, state, text, remedy }: NamedFinding): string {
  return `${state.padEnd(8)} ${name.padEnd(14)} ${text}${remedy === null ? '' : `; ${remedy}`}`;
}
