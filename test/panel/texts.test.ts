import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#base/package-root.js';

const folder = join(packageRoot, 'panel');

describe('the texts of the panel', () => {
  it('are there for all names that its parts use', async () => {
    const { messagesOf } = (await import(join(folder, 'texts.js'))) as { messagesOf: (locale: string) => object };
    const known = new Set(Object.keys(messagesOf('en')));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.jsx?$/.test(name));
    const used = files.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/(?:label\(|(?:title|close)=|\? )['"](\w+\.\w+)['"]/g)].map(
        ([, id = '']) => id,
      ),
    );
    expect(used.length).to.be.greaterThan(50);
    expect(used.filter((id) => !known.has(`mangrove.${id}`))).to.deep.equal([]);
  });
});
