import path from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '#base/package-root.js';

/** Bundles the client as an application does: as a module, or as Metro does, without async generators, as a script that sets `mangrove`. */
export async function bundleClient(target: 'es2022' | 'es2017' = 'es2022'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(packageRoot, 'src/client/create-client.ts')],
    bundle: true,
    minify: true,
    ...(target === 'es2022' ? { format: 'esm' } : { format: 'iife', globalName: 'mangrove' }),
    target,
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
