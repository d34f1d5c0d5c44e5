import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** The parts of a Strapi that all scripts use. */
export interface Strapi {
  readonly server: { readonly httpServer: Server };
  load(): Promise<this>;
  listen(): Promise<void>;
  destroy(): Promise<void>;
}

/** Loads the Strapi that is installed in a folder into this process, over a SQLite file. It makes the file if there is none. */
export function loadStrapi<Kind extends Strapi>(folder: string, database: string): Promise<Kind> {
  Object.assign(process.env, { DATABASE_FILENAME: database, STRAPI_TELEMETRY_DISABLED: 'true' });
  process.chdir(folder);
  const create = createRequire(join(folder, 'package.json'))('@strapi/strapi') as (options: object) => Kind; // what it exports
  return create({ appDir: folder, distDir: folder, autoReload: false, serveAdminPanel: false }).load();
}

/** Lets a loaded Strapi serve requests. Returns its address. */
export async function serveStrapi(strapi: Strapi): Promise<string> {
  await strapi.listen();
  const { port } = strapi.server.httpServer.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${String(port)}`;
}
