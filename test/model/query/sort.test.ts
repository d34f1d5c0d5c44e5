import { expect } from 'chai';
import { findMany } from '#content/find-many.js';
import { emptyQuery } from '#model/query/ast.js';
import { bindSort } from '#model/query/bind-list.js';
import { defaultLimits } from '../../support/default-limits.js';
import { parseSort } from '#model/query/parse-list.js';
import { parseQueryString } from '#http/query-string.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { bindContext, contextOf, insertDocuments, thingDocuments, typeOf } from '../../support/things.js';

const thing = typeOf('api::thing.thing');
const limits = { parameters: 1000, queryDepth: 20, listValues: 1000 };
const sortOf = (text: string): unknown => parseQueryString(text, limits)['sort'];

/** Query strings and the order in which they put the five things; nulls come first, `id` decides between equals. */
const cases: readonly (readonly [string, readonly number[]])[] = [
  ['', [1, 2, 3, 4, 5]],
  ['sort=', [1, 2, 3, 4, 5]],
  ['sort=id:desc', [5, 4, 3, 2, 1]],
  ['sort=count', [4, 1, 2, 3, 5]],
  ['sort=count:desc', [5, 3, 2, 1, 4]],
  ['sort=count:DESC', [5, 3, 2, 1, 4]],
  ['sort=count:desc:asc', [5, 3, 2, 1, 4]],
  ['sort=name', [4, 1, 3, 5, 2]],
  ['sort=kind,count:desc', [3, 4, 5, 1, 2]],
  ['sort=kind:desc,%20count', [2, 1, 5, 4, 3]],
  ['sort[0]=kind:desc&sort[1]=count', [2, 1, 5, 4, 3]],
  ['sort[]=kind:desc&sort[]=count', [2, 1, 5, 4, 3]],
  // a mixture of forms
  ['sort=kind:desc&sort[0]=count', [2, 1, 5, 4, 3]],
  ['sort=kind:desc&sort=count', [2, 1, 5, 4, 3]],
  ['sort=kind:desc&sort[count]=asc', [2, 1, 5, 4, 3]],
  ['sort[kind]=desc&sort=count', [2, 1, 5, 4, 3]],
  ['sort[kind]=desc&sort=count:asc,id', [2, 1, 5, 4, 3]],
  ['sort[0]=kind:desc&sort[1][count]=asc', [2, 1, 5, 4, 3]],
  ['sort[0]=kind:desc&sort[count]=asc', [2, 1, 5, 4, 3]],
  ['sort[0][kind]=desc&sort[1]=count', [2, 1, 5, 4, 3]],
  ['sort[0]=count:', [4, 1, 2, 3, 5]],
  ['sort=kind:desc,count:', [2, 1, 5, 4, 3]],
  ['sort[count]=desc', [5, 3, 2, 1, 4]],
  ['sort[0][kind]=desc&sort[1][count]=asc', [2, 1, 5, 4, 3]],
  ['sort=active', [3, 4, 2, 1, 5]],
  ['sort=active:desc', [1, 5, 2, 3, 4]],
  ['sort=at:desc', [3, 2, 1, 4, 5]],
  ['sort=main.size:desc', [2, 1, 3, 4, 5]],
  ['sort[main][size]=desc', [2, 1, 3, 4, 5]],
  ['sort=owner.name:desc,id', [2, 1, 4, 3, 5]],
  ['sort[owner][name]=desc&sort[id]=asc', [2, 1, 4, 3, 5]],
  ['sort=owner.boss.name:desc,id', [2, 1, 3, 4, 5]],
  ['sort=tags.name,id', [5, 1, 2, 4, 3]],
  ['sort=photo.name,id', [1, 2, 3, 4, 5]],
  // several keys with several values each: the least value of each counts, in descending order the greatest
  ['sort=owner.name,tags.name', [5, 3, 1, 4, 2]],
  ['sort=owner.name:desc,tags.name:desc', [2, 1, 4, 3, 5]],
  ['sort=tags.name,tags.id', [5, 1, 2, 4, 3]],
  ['sort=tags.name:desc,owner.name:desc', [1, 3, 4, 2, 5]],
  ['sort=parts.label,owner.name', [3, 5, 4, 1, 2]],
  ['sort=parts.label:desc,tags.name', [1, 2, 5, 4, 3]],
  ['sort=parts.size,parts.label', [3, 4, 5, 1, 2]],
  ['sort=parts.label,parts.size:desc', [3, 4, 5, 2, 1]],
  ['sort=owner.boss.name,tags.name', [5, 1, 4, 3, 2]],
  ['sort=owner.things.count:desc,tags.things.name', [2, 4, 1, 5, 3]],
  ['sort=parts.maker.name:desc,tags.name:desc', [1, 3, 4, 2, 5]],
  ['sort=photo.name,owner.name,main.maker.name,parts.id,id:desc', [5, 3, 4, 1, 2]],
  ['sort=data,owner.name,data:desc', [4, 2, 3, 1, 5]],
];

describe('sort', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await insertDocuments(database, thingDocuments);
  });
  after(() => database.drop());

  for (const [text, ids] of cases)
    it(`${text || '(none)'} gives ${JSON.stringify(ids)}`, async () => {
      const sort = parseSort(sortOf(text), defaultLimits);
      const page = await findMany(thing, { ...emptyQuery, sort }, contextOf(database));
      expect(page.entries.map(({ document }) => document['_id'])).to.deep.equal(ids);
      expect(page.entries.map(({ document }) => Object.keys(document).filter((key) => key.startsWith('_sort')))).to.deep.equal(
        ids.map(() => []),
      );
    });
});

const refused: readonly (readonly [string, string])[] = [
  ['sort=bogus', 'Invalid parameter bogus'],
  ['sort=bogus:sideways', 'Invalid parameter bogus'],
  ['sort=count:sideways', 'Invalid parameter sort: the order can only be asc or desc, not "sideways"'],
  ['sort=:asc', 'Invalid parameter sort'],
  ['sort=owner.', 'Invalid parameter sort'],
  ['sort=secret', 'Invalid parameter secret'],
  ['sort=code', 'Invalid parameter code'],
  ['sort=owner', 'Invalid parameter owner'],
  ['sort=main', 'Invalid parameter main'],
  ['sort=photo', 'Invalid parameter photo'],
  ['sort=zone', 'Invalid parameter zone'],
  ['sort=zone.label', 'Invalid parameter zone'],
  ['sort=subject.name', 'Invalid parameter subject'],
  ['sort=owner.bogus', 'Invalid parameter bogus'],
  ['sort=owner.things.secret', 'Invalid parameter secret'],
  ['sort=count.label', 'Invalid parameter count'],
  ['sort=createdBy.firstname', 'Invalid parameter createdBy'],
  ['sort[0]=count&sort[1][bogus]=asc', 'Invalid parameter bogus'],
  ['sort[count]=asc&sort=bogus', 'Invalid parameter bogus'],
  ['sort[0][]=count', 'Invalid parameter 0'],
  ['sort[count][]=asc', 'Invalid parameter count'],
  [`sort=${'count,'.repeat(11)}`, 'Invalid parameter sort: more than 10 keys'],
];

describe('refused sorts', () => {
  for (const [text, message] of refused)
    it(`${text.slice(0, 80)}: ${message}`, () => {
      expect(() => bindSort({ sort: parseSort(sortOf(text), defaultLimits) }, thing, bindContext))
        .to.throw(message)
        .that.includes({ status: 400, name: 'ValidationError', message });
    });
});
