import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadStrapi, serveStrapi, type Strapi } from '../../../start-strapi.js';
import { reportToParent } from '../../report-to-parent.js';
import { sizeNames } from '../../sizes.js';
import { fill, type Sqlite, type TableOfModel } from './fill.js';
import { strapiFolder } from './install.js';

/** Strapi as it ships, on a SQLite file that is filled with the data set of a size if there is none. */
const [, , size = '', file = ''] = process.argv.slice(2);

interface StrapiWithTables extends Strapi {
  readonly db: { readonly metadata: { get(uid: string): TableOfModel } };
}

/** Lets Strapi make its tables in another file, fills them, and gives the file its name when it is whole. */
async function makeData(): Promise<void> {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  const strapi = await loadStrapi<StrapiWithTables>(strapiFolder, draft);
  const load = createRequire(`${strapiFolder}/`);
  const Database = load('better-sqlite3') as new (file: string) => Sqlite & { close(): void }; // not typed here
  const sqlite = new Database(draft);
  fill(sqlite, (uid) => strapi.db.metadata.get(uid), sizeNames.find((name) => name === size) ?? '10k');
  sqlite.close();
  await strapi.destroy();
  renameSync(draft, file);
}

if (!existsSync(file)) await makeData();
// The writes of the workload are deleted with the copy.
const copy = `${file}.run`;
copyFileSync(file, copy);
reportToParent(await serveStrapi(await loadStrapi(strapiFolder, copy)));
