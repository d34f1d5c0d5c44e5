#!/usr/bin/env node
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../mongo/database.js';
import { readModels, removeModel, writeModels } from '../mongo/model-store.js';
import { buildRegistry } from '../schema/build-registry.js';
import type { Model } from '../schema/model.js';
import { readModel } from '../schema/read-model.js';
import { openDatabase } from './open-database.js';

const usage = `usage: npm run models -- <command>
  list             models that are stored, and what is wrong with them
  add FILE...      store models (schema.json with its uid; an array of them is fine)
  export DIR       write each stored model to DIR/<uid>.json
  remove UID       take a model out; its entries stay`;

type Command = (database: Database, args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, Command>> = { list, add, export: exportModels, remove };

async function list(database: Database): Promise<number> {
  const models = await readModels(database);
  const { problems } = buildRegistry(models);
  for (const { uid } of models)
    console.log(`${uid}${problems.has(uid) ? `  not in force: ${problems.get(uid)?.join('; ') ?? ''}` : ''}`);
  if (models.length === 0) console.log('no models');
  return problems.size > 0 ? 1 : 0;
}

async function add(database: Database, files: readonly string[]): Promise<number> {
  if (files.length === 0) return fail(usage);
  const documents = (await Promise.all(files.map(readDocuments))).flat();
  const wrong = documents.flatMap(({ file, document }) => readModel(document).problems.map((problem) => `${file}: ${problem}`));
  if (wrong.length > 0) return fail(wrong.join('\n'));
  const models = documents.map(({ document }) => document as Model); // checked above
  const known = (await readModels(database)).filter(({ uid }) => !models.some((model) => model.uid === uid));
  const { problems } = buildRegistry([...known, ...models]);
  const crossing = models.flatMap(({ uid }) => (problems.get(uid) ?? []).map((problem) => `${uid}: ${problem}`));
  if (crossing.length > 0) return fail(crossing.join('\n'));
  await writeModels(database, models);
  for (const { uid } of models) console.log(`stored ${uid}`);
  return 0;
}

async function readDocuments(file: string): Promise<{ readonly file: string; readonly document: unknown }[]> {
  const content = parseJson(await readFile(file, 'utf8'), file);
  return (Array.isArray(content) ? content : [content]).map((document: unknown) => ({ file, document }));
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function exportModels(database: Database, [directory]: readonly string[]): Promise<number> {
  if (directory === undefined) return fail(usage);
  await mkdir(directory, { recursive: true });
  for (const model of await readModels(database)) {
    const file = join(directory, `${model.uid.replaceAll('::', '-')}.json`);
    await writeFile(file, `${JSON.stringify(model, null, 2)}\n`);
    console.log(file);
  }
  return 0;
}

async function remove(database: Database, [uid]: readonly string[]): Promise<number> {
  if (uid === undefined) return fail(usage);
  if (!(await removeModel(database, uid))) return fail(`there is no model ${uid}`);
  console.log(`removed ${uid}`);
  return 0;
}

function fail(message: string): number {
  console.error(message);
  return 1;
}

async function main(): Promise<number> {
  const [name = '', ...args] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return fail(usage);
  const { database, close } = await openDatabase();
  try {
    return await command(database, args);
  } finally {
    await close();
  }
}

process.exitCode = await main().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
