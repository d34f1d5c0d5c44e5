import { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { createConfig } from '#settings/create-config.js';
import { createLogger } from '#http/create-logger.js';

/** A log like that of the service, which keeps its lines. */
export interface Log {
  readonly logger: Logger;
  /** Decoded, in order. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export async function createLog(): Promise<Log> {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const target = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Readonly<Record<string, unknown>>);
      done();
    },
  });
  const config = createConfig({ middlewares: { logger: { pretty: false } } });
  return { logger: await createLogger(config, target), lines };
}
