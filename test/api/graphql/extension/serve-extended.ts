import { pino } from 'pino';
import type { Caller } from '#content/rights/caller.js';
import type { ContentContext } from '#content/content-context.js';
import { createConfig } from '#settings/create-config.js';
import { createExtension, type Register } from '#api/graphql/extension/create-extension.js';
import { createObserver } from '#http/create-logger.js';
import { fullAccess, type Access } from '#model/query/access.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { documents, models } from '../content.js';
import { serveGraphql, type ServedGraphql } from '../serve-graphql.js';
import { withPlugins } from '../services.js';

export interface ExtendedInput {
  readonly register: Register;
  readonly access?: Access;
  readonly caller?: Partial<Caller>;
}

export interface ServedExtended extends ServedGraphql {
  /** Lines that were logged. */
  readonly lines: readonly string[];
}

/** The endpoint over the conformance models with a schema that custom code has shaped. */
export async function serveExtended({ register, access, caller }: ExtendedInput): Promise<ServedExtended> {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const config = createConfig({});
  const { registry } = buildRegistry(models);
  let served: ServedGraphql | null = null;
  const content = (): ContentContext => {
    if (served === null) return { bind: { registry } } as ContentContext; // schemas are built before anything is read
    return { ...served.content, bind: { ...served.content.bind, access: fullAccess } };
  };
  const extension = createExtension({ config, logger, observer: createObserver(config, logger), content });
  await register(extension.input);
  const options = { ...extension.schemaOptions(registry), accounts: withPlugins.accounts };
  served = await serveGraphql({ models, documents, options, ...(access && { access }), ...(caller && { caller }) });
  return { ...served, lines };
}

/** Access of a caller to whom these actions are granted. */
export const granted = (...actions: readonly string[]): Access => ({
  ...fullAccess,
  grants: { kind: 'actions', actions: new Set(actions) },
});
