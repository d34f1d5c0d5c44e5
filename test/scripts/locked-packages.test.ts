import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { satisfies } from 'semver';
import { packageRoot } from '#base/package-root.js';

interface LockedPackage {
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
}

/** The oldest version of Node that the README names. */
const oldestNode = '20.19.0';

/** bcrypt has a compiled module; esbuild, a tool of the tests, checks its program. */
const withScripts = ['node_modules/bcrypt', 'node_modules/esbuild'];

describe('the packages that npm install fetches', () => {
  const lock = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const packages = Object.entries(lock.packages);

  it(`run with Node ${oldestNode}`, () => {
    const refused = packages.filter(([, { engines }]) => !satisfies(oldestNode, engines?.node ?? '*'));
    expect(refused.map(([name, { engines }]) => `${name} needs Node ${String(engines?.node)}`)).to.deep.equal([]);
  });

  it('run no scripts but those of two packages', () => {
    const names = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name);
    expect(names.filter((name) => name !== '')).to.deep.equal(withScripts);
  });
});
