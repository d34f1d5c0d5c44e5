import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** The parts of knex that are used. */
interface Knex {
  raw(sql: string): Promise<unknown>;
  (table: string): { insert(rows: readonly object[]): Promise<unknown> };
}

/** The parts of Strapi that are used. */
interface Strapi {
  readonly db: { readonly connection: Knex };
  query(uid: string): { create(parameters: { readonly data: object }): Promise<unknown> };
  start(): Promise<unknown>;
  destroy(): Promise<void>;
}

type CreateStrapi = (options: object) => Strapi;

/** A Strapi that runs in this process. */
export interface LiveStrapi {
  readonly url: string;
  readonly strapi: Strapi;
  /** Copies the database into memory. Returns a function that restores it. */
  readonly remember: () => Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const port = 14_260;

/** Installs a project in a folder, unless it is installed there already, and starts it with an empty database. */
export async function startLiveStrapi(project: string, folder: string): Promise<LiveStrapi> {
  install(project, folder);
  const database = join(folder, 'data.db');
  rmSync(database, { force: true });
  Object.assign(process.env, { DATABASE_FILENAME: database, PORT: String(port), STRAPI_TELEMETRY_DISABLED: 'true' });
  process.chdir(folder);
  const create = createRequire(join(folder, 'package.json'))('@strapi/strapi') as CreateStrapi; // what the package exports
  const strapi = create({ appDir: folder, distDir: folder, autoReload: false, serveAdminPanel: false });
  await strapi.start();
  return {
    url: `http://127.0.0.1:${String(port)}`,
    strapi,
    remember: () => rememberTables(strapi.db.connection),
    stop: () => strapi.destroy(),
  };
}

function install(project: string, folder: string): void {
  mkdirSync(join(folder, 'public', 'uploads'), { recursive: true });
  for (const name of ['src', 'config']) rmSync(join(folder, name), { recursive: true, force: true });
  const isInstalled = existsSync(join(folder, 'node_modules', '@strapi', 'strapi'));
  cpSync(project, folder, { recursive: true, filter: (file) => !isInstalled || !file.endsWith('package.json') });
  if (!isInstalled) execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
}

async function rememberTables(knex: Knex): Promise<() => Promise<void>> {
  const found = (await knex.raw("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")) as {
    readonly name: string;
  }[]; // the rows of SQLite
  const names = [...found.map(({ name }) => name), 'sqlite_sequence'];
  const read = async (name: string) => [name, (await knex.raw(`select * from "${name}"`)) as object[]] as const; // rows
  const tables = await Promise.all(names.map(read));
  await knex.raw('PRAGMA synchronous = OFF');
  return async () => {
    await knex.raw('PRAGMA foreign_keys = OFF');
    for (const [name, rows] of tables) {
      const [, now] = await read(name);
      if (isDeepStrictEqual(now, rows)) continue;
      await knex.raw(`delete from "${name}"`);
      for (const row of rows) await knex(name).insert([row]);
    }
    await knex.raw('PRAGMA foreign_keys = ON');
  };
}
