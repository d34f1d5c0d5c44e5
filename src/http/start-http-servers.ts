import type { RequestListener } from 'node:http';
import type { Config } from '#settings/config.js';
import type { Notices } from '#base/notices.js';
import { type HttpServer, type PreparedServer, startHttpServer } from './start-http-server.js';

/** The server of the API, and that of the admin API if it has a port of its own; otherwise they are the same. */
export interface HttpServers extends HttpServer {
  readonly admin: Pick<HttpServer, 'url' | 'localUrl'>;
}

/** Starts the HTTP servers. `close` closes both. Rejects with a readable message if a port is in use. */
export async function startHttpServers(
  callback: RequestListener,
  { server, admin: { port } }: Config,
  prepared: PreparedServer,
  notices: Notices,
): Promise<HttpServers> {
  const refused = ({ message }: Error): void => {
    notices.logOnce(`connections could not be accepted: ${message}`);
  };
  const own = port === null ? null : { ...server, port, url: withPort(server.url, port) };
  const admin = own && (await startHttpServer(callback, own, { variable: 'ADMIN_PORT', refused }));
  const api = await startHttpServer(callback, server, { prepared, refused }).catch(async (error: unknown) => {
    await admin?.close();
    throw error;
  });
  if (admin === null) return { ...api, admin: api };
  const close = async (): Promise<number> => (await Promise.all([api.close(), admin.close()])).reduce((sum, cut) => sum + cut);
  return { ...api, admin, close };
}

/** Returns an address with another port; null if there is none. */
function withPort(url: string | null, port: number): string | null {
  if (url === null) return null;
  const address = new URL(url);
  address.port = String(port);
  return address.href;
}
