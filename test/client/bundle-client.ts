import path from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../../src/package-root.js';

/** Bundles the client as an application does. */
export async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(packageRoot, 'src/client/create-client.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
