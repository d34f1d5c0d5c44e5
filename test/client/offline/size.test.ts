import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { build } from 'esbuild';
import { packageRoot } from '#base/package-root.js';

/** Bytes that modules may add to an application, compressed. */
const most: Readonly<Record<string, number>> = { offline: 8_192, 'indexed-db': 2_048, sqlite: 2_048 };

describe('the engine for writes while offline', () => {
  for (const [name, bytes] of Object.entries(most))
    it(`takes less than ${String(bytes)} bytes as ${name}, and nothing but files of the client`, async () => {
      const { outputFiles, metafile } = await build({
        entryPoints: [path.join(packageRoot, `src/client/offline/${name}.ts`)],
        bundle: true,
        minify: true,
        format: 'esm',
        target: 'es2022',
        write: false,
        metafile: true,
        logLevel: 'silent',
      });
      expect(gzipSync(outputFiles[0]?.text ?? '', { level: 9 }).length).to.be.below(bytes);
      expect(Object.keys(metafile.inputs).filter((file) => !file.includes('src/client/'))).to.deep.equal([]);
    });
});
