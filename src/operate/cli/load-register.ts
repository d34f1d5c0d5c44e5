import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '#settings/setting.js';
import { loadSource, sourceEndings } from '#settings/load-source.js';
import type { Register, RegisterInput } from '#api/graphql/extension/create-extension.js';
import { isRecord } from '#base/values.js';
import { explained } from '#strapi/load/run-code.js';

const file = 'config/extensions';

/**
 * Returns the `register` function of config/extensions.{ts,js,cjs,mjs} in the working directory; null if there is no such file.
 * It first registers the `policies` and `middlewares` that the file exports, under their bare names. The file may be an ES module
 * or CommonJS, and may import `own` as `mangrove`. Errors of the file or of `register` are printed with their stack and become a
 * ConfigError.
 */
export async function loadRegister(directory: string, own: unknown): Promise<Register | null> {
  const [ending, second] = sourceEndings.filter((end) => existsSync(join(directory, file + end)));
  if (ending === undefined) return null;
  if (second !== undefined) throw new ConfigError(`${file}${ending} and ${file}${second} both exist; keep one of them`);
  const module = await explained(file, () => loadSource(join(directory, file + ending), { packages: { mangrove: own } }));
  const { register, policies, middlewares } = partsOf(module);
  if (typeof register !== 'function') throw new ConfigError(`${file} must export a function register({ strapi })`);
  return (input) =>
    explained(file, () => {
      addAll(input.strapi.policies, policies);
      addAll(input.strapi.middlewares, middlewares);
      return (register as Register)(input); // the contract of the file
    });
}

/** Returns the exports of the file, whether they are named or properties of a default export. */
function partsOf(module: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(module)) return {};
  if (module['register'] !== undefined) return module;
  return partsOf(module['default']);
}

type Named = RegisterInput['strapi']['policies'] | RegisterInput['strapi']['middlewares'];

function addAll(named: Named, code: unknown): void {
  if (isRecord(code)) for (const [name, one] of Object.entries(code)) named.add(name, one as never); // checked where it is used
}
