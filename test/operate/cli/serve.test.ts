import { expect } from 'chai';
import { originOf } from '#operate/cli/serve.js';
import { packageRoot } from '#base/package-root.js';

const failing = (...lines: readonly string[]): Error =>
  Object.assign(new Error('no'), { stack: ['Error: no', ...lines.map((line) => `    at ${line}`)].join('\n') });

const own = `${packageRoot}/dist/server.js:3:1`;

/** Rejections, and the file that is named; null for those of the service. */
const cases: readonly (readonly [name: string, error: unknown, origin: string | null])[] = [
  ['a function', failing('seed (/app/src/seed.ts:7:3)'), 'src/seed.ts:7'],
  ['an asynchronous function', failing('async seed (/app/src/seed.ts:7:3)'), 'src/seed.ts:7'],
  ['the top of a file', failing('/app/src/index.js:2:9'), 'src/index.js:2'],
  ['a module', failing('file:///app/src/index.mjs:2:9'), 'src/index.mjs:2'],
  ['a call of the service', failing(`run (${own})`, 'Object.bootstrap (/app/src/index.js:2:9)'), 'src/index.js:2'],
  ['a package', failing('get (/app/node_modules/axios/index.js:1:1)'), 'code of the project'],
  ['no stack', 'text', 'code of the project'],
  ['the service', failing(`run (${own})`), null],
];

describe('the origin of a rejected promise', () => {
  for (const [name, error, origin] of cases)
    it(name, () => {
      expect(originOf(error, '/app')).to.equal(origin);
    });
});
