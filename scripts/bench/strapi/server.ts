import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { reportToParent } from '../report-to-parent.js';
import { sizeNames } from '../sizes.js';
import { fill, type Sqlite, type TableOfModel } from './fill.js';
import { strapiFolder } from './install.js';

/** Strapi as it ships, on a SQLite file that is filled with the data set of a size if there is none. */
const [, , size = '', file = ''] = process.argv.slice(2);
const load = createRequire(`${strapiFolder}/`);

/** The parts of Strapi that are used here. */
interface Strapi {
  readonly db: { readonly metadata: { get(uid: string): TableOfModel }; destroy(): Promise<void> };
  readonly server: { readonly httpServer: Server };
  load(): Promise<Strapi>;
  listen(): Promise<void>;
  destroy(): Promise<void>;
}

// The packages of the folder, which are not typed here.
const createStrapi = load('@strapi/strapi') as (options: object) => Strapi;
const Database = load('better-sqlite3') as new (file: string) => Sqlite & { close(): void };

async function loadStrapi(data: string): Promise<Strapi> {
  process.env.DATABASE_FILENAME = data;
  return createStrapi({ appDir: strapiFolder, distDir: strapiFolder, autoReload: false, serveAdminPanel: false }).load();
}

/** Lets Strapi make its tables in another file, fills them, and gives the file its name when it is whole. */
async function makeData(): Promise<void> {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  const strapi = await loadStrapi(draft);
  const sqlite = new Database(draft);
  fill(sqlite, (uid) => strapi.db.metadata.get(uid), sizeNames.find((name) => name === size) ?? '10k');
  sqlite.close();
  await strapi.destroy();
  renameSync(draft, file);
}

process.chdir(strapiFolder);
if (!existsSync(file)) await makeData();
// The writes of the workload are deleted with the copy.
const copy = `${file}.run`;
copyFileSync(file, copy);
const strapi = await loadStrapi(copy);
await strapi.listen();
// Listening on a port: the address is never a pipe's name.
const { port } = strapi.server.httpServer.address() as AddressInfo;
reportToParent(`http://127.0.0.1:${String(port)}`);
