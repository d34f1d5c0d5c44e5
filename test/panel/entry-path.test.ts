import { expect } from 'chai';
import { entryPath } from '../../panel/entry-path.js';

describe('the path of the form of an entry', () => {
  it('has the id, but for a single type the locale', () => {
    const entry = { uid: 'api::home.home', id: 7, locale: 'pt-BR' };
    expect(entryPath(entry, 'collectionType')).to.equal('/content-manager/collection-types/api::home.home/7');
    expect(entryPath(entry, undefined)).to.equal('/content-manager/collection-types/api::home.home/7');
    const single = '/content-manager/single-types/api::home.home';
    expect(entryPath({ uid: entry.uid, id: 7 }, 'singleType')).to.equal(single);
    expect(entryPath({ ...entry, locale: null }, 'singleType')).to.equal(single);
    expect(entryPath(entry, 'singleType')).to.equal(`${single}?plugins%5Bi18n%5D%5Blocale%5D=pt-BR`);
  });
});
