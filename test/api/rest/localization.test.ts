import { expect } from 'chai';
import type { Serving } from '../../support/serve.js';
import { at, expectOk, serveLocales } from './serve-locales.js';

describe('localization', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveLocales();
  });
  after(() => serving.stop());

  const ok: (method: string, path: string, body?: unknown) => ReturnType<typeof expectOk> = (...sent) =>
    expectOk(serving, ...sent);
  const ids = async (query: string): Promise<number[]> =>
    (await ok('GET', `/api/books?${query}`)).data.map(({ id }: { id: number }) => id);

  let english: number;
  let french: number;
  before(async () => {
    english = (await ok('POST', '/api/books', { data: { title: 'Sea', isbn: '1000', pages: 5, editions: [{ number: 1 }] } })).data
      .id;
    const localized = await ok('POST', `/api/books/${String(english)}/localizations`, { locale: 'fr', title: 'Mer' });
    french = localized.id;
    expect(localized).to.deep.include({ title: 'Mer', isbn: '1000', pages: 5, locale: 'fr', publishedAt: null, slug: null });
    expect(localized.localizations).to.have.lengthOf(1);
    expect(localized.localizations[0]).to.deep.include({ id: english, title: 'Sea' });
    await ok('PUT', `/api/books/${String(french)}`, { data: { publishedAt: at } });
  });

  it('a list has the default locale unless another is asked for', async () => {
    expect(await ids('')).to.deep.equal([english]);
    expect(await ids('locale=fr')).to.deep.equal([french]);
    expect(await ids('locale=all')).to.deep.equal([english, french]);
    expect(await ids('locale[0]=en&locale[1]=fr')).to.deep.equal([english, french]);
    expect(await ids('locale=xx')).to.deep.equal([]);
    expect(await ids('filters[locale]=fr')).to.deep.equal([]);
    expect(await ids('locale=all&filters[locale]=fr')).to.deep.equal([french]);
    expect((await ok('GET', '/api/authors?locale=fr')).data).to.deep.equal([]);
  });

  it('meta.availableLocales are the codes of the other locales; types that are not localized have none', async () => {
    expect((await ok('GET', `/api/books/${String(english)}`)).data.meta).to.deep.equal({ availableLocales: ['fr'] });
    expect((await ok('GET', '/api/books?locale=fr')).data[0].meta).to.deep.equal({ availableLocales: ['en'] });
    await ok('POST', '/api/authors', { data: { name: 'Ada' } });
    expect((await ok('GET', '/api/authors')).data[0].meta).to.deep.equal({});
  });

  it('meta.availableLocales leave drafts out of live lists', async () => {
    const { data } = await ok('POST', '/api/books', { data: { title: 'Drafted' } });
    await ok('POST', `/api/books/${String(data.id)}/localizations`, { locale: 'de', title: 'Entwurf' });
    const meta = async (query: string): Promise<unknown> =>
      (await ok('GET', `/api/books?filters[id]=${String(data.id)}${query}`)).data[0].meta;
    expect(await meta('')).to.deep.equal({ availableLocales: [] });
    expect(await meta('&publicationState=preview')).to.deep.equal({ availableLocales: ['de'] });
  });

  it('shared attributes follow an update in any locale, localized ones and relations do not', async () => {
    const { data: author } = await ok('POST', '/api/authors', { data: { name: 'Author' } });
    await ok('PUT', `/api/books/${String(french)}`, {
      data: { title: 'La mer', pages: 77, editions: [{ number: 9 }], authors: [author.id] },
    });
    const { attributes } = (await ok('GET', `/api/books/${String(english)}?populate=*`)).data;
    expect(attributes).to.deep.include({ title: 'Sea', pages: 77 });
    expect(attributes.editions.map(({ number }: { number: number }) => number)).to.deep.equal([9]);
    expect(attributes.authors.data).to.deep.equal([]);
    const other = (await ok('GET', `/api/books/${String(french)}?populate=editions`)).data.attributes.editions[0].id as number;
    expect(attributes.editions[0].id).to.not.equal(other);
    expect(attributes.localizations.data.map(({ id }: { id: number }) => id)).to.deep.equal([french]);
  });

  it('a create names its locale in the body, and an update cannot change it', async () => {
    const { data } = await ok('POST', '/api/books?locale=de', { data: { title: 'Fluss', locale: 'fr' } });
    expect(data.attributes.locale).to.equal('fr');
    expect((await ok('PUT', `/api/books/${String(data.id)}`, { data: { locale: 'en' } })).data.attributes.locale).to.equal('fr');
    expect((await ok('POST', '/api/books?locale=de', { data: { title: 'Fluss' } })).data.attributes.locale).to.equal('en');
  });

  const refused: readonly (readonly [string, object, number, string, string])[] = [
    ['/localizations', {}, 400, 'ApplicationError', 'locale is missing'],
    ['/localizations', { locale: '' }, 400, 'ApplicationError', 'locale is invalid'],
    ['/localizations', { locale: 'xx' }, 400, 'ApplicationError', 'locale is invalid'],
    ['/localizations', { locale: 'fr', title: 'x' }, 400, 'ApplicationError', 'locale is already used'],
    ['/localizations', { locale: 'en', title: 'x' }, 400, 'ApplicationError', 'locale is already used'],
    ['/localizations', { locale: 'de' }, 400, 'ValidationError', 'title must be defined.'],
    ['9/localizations', { locale: 'de', title: 'x' }, 404, 'NotFoundError', 'Entity not found'],
    ['', { data: { title: 'x', locale: 'xx' } }, 400, 'ApplicationError', "This locale doesn't exist"],
  ];
  for (const [place, body, status, name, message] of refused)
    it(`POST ${place || '/api/books'} ${JSON.stringify(body)}: ${message}`, async () => {
      const path =
        place === '' ? '/api/books' : `/api/books/${String(english)}${place.startsWith('9') ? `999${place.slice(1)}` : place}`;
      expect((await serving.call('POST', path, body)).body.error).to.include({ status, name, message });
    });

  it('a new locale is answered with the others, whatever the query string asks for', async () => {
    const { data } = await ok('POST', '/api/books', { data: { title: 'Lake' } });
    const path = `/api/books/${String(data.id)}/localizations?fields=slug&populate=localizations,authors`;
    const { title, authors, localizations } = (await serving.call('POST', path, { locale: 'fr', title: 'Lac' })).body;
    expect([title, authors, localizations.length]).to.deep.equal(['Lac', undefined, 1]);
    expect(localizations[0]).to.include({ id: data.id, title: 'Lake' }).and.not.have.property('localizations');
  });

  it('values are unique within a locale', async () => {
    await ok('POST', '/api/books', { data: { title: 'A', slug: 'same' } });
    await ok('POST', '/api/books', { data: { title: 'B', slug: 'same', locale: 'fr' } });
    expect(
      (await serving.call('POST', '/api/books', { data: { title: 'C', slug: 'same', locale: 'fr' } })).body.error.message,
    ).to.equal('This attribute must be unique');
  });

  it('updatedAt of the other locales moves with a new one', async () => {
    const { data } = await ok('POST', '/api/books', { data: { title: 'Moves' } });
    const path = `/api/books/${String(data.id)}`;
    const updated = async (): Promise<string> => (await ok('GET', path)).data.attributes.updatedAt;
    await ok('POST', `${path}/localizations`, { locale: 'fr', title: 'Bouge' });
    const first = await updated();
    expect(first > data.attributes.updatedAt).to.equal(true);
    const { localizations } = await ok('POST', `${path}/localizations`, { locale: 'de', title: 'Bewegt', pages: 3 });
    expect((await updated()) > first).to.equal(true);
    expect(localizations).to.have.lengthOf(2);
    expect((await ok('GET', '/api/books?filters[title]=Moves')).data[0].attributes.createdAt).to.equal(data.attributes.createdAt);
  });

  it('a delete removes one locale only', async () => {
    const { data } = await ok('POST', '/api/books', { data: { title: 'One' } });
    const { id } = await ok('POST', `/api/books/${String(data.id)}/localizations`, { locale: 'fr', title: 'Un' });
    await ok('DELETE', `/api/books/${String(data.id)}`);
    const { attributes, meta } = (await ok('GET', `/api/books/${String(id)}?populate=localizations`)).data;
    expect([attributes.localizations.data, meta]).to.deep.equal([[], { availableLocales: [] }]);
  });
});

describe('the order of localizations', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveLocales();
    for (const code of ['es', 'it']) await serving.database.db.collection('i18n_locales').insertOne({ code, name: code });
    await serving.settled();
  });
  after(() => serving.stop());

  /**
   * From which locale each further one is made, and the order of the group afterwards: the new entry, its source, then the others as
   * before. An entry lists the group without itself.
   */
  const chains: readonly (readonly (readonly [source: string, locale: string, order: readonly string[]])[])[] = [
    [
      ['en', 'fr', ['fr', 'en']],
      ['en', 'de', ['de', 'en', 'fr']],
      ['en', 'es', ['es', 'en', 'de', 'fr']],
    ],
    [
      ['en', 'fr', ['fr', 'en']],
      ['fr', 'de', ['de', 'fr', 'en']],
      ['en', 'es', ['es', 'en', 'de', 'fr']],
      ['de', 'it', ['it', 'de', 'es', 'en', 'fr']],
    ],
  ];
  const others = (order: readonly string[], locale: string): string[] => order.filter((one) => one !== locale);
  const codes = (list: readonly { readonly locale?: string; readonly attributes?: { readonly locale: string } }[]) =>
    list.map(({ locale, attributes }) => locale ?? attributes?.locale);

  for (const [index, chain] of chains.entries())
    for (const published of [true, false])
      it(`${JSON.stringify(chain.map(([source, locale]) => `${source}>${locale}`))}${published ? '' : ', the new ones are drafts'}`, async () => {
        const title = `Order ${String(index)} ${String(published)}`;
        const { data } = await expectOk(serving, 'POST', '/api/books', { data: { title } });
        const ids = new Map<string, number>([['en', data.id]]);
        for (const [source, locale, order] of chain) {
          const body = { locale, title: `${title} ${locale}`, ...(published && { publishedAt: at }) };
          const made = await expectOk(serving, 'POST', `/api/books/${String(ids.get(source))}/localizations`, body);
          expect(codes(made.localizations)).to.deep.equal(others(order, locale));
          ids.set(locale, made.id);
          for (const [code, id] of ids) {
            const one = await expectOk(serving, 'GET', `/api/books/${String(id)}?populate=localizations`);
            expect(codes(one.data.attributes.localizations.data)).to.deep.equal(others(order, code));
            expect(one.data.meta.availableLocales).to.deep.equal(others(order, code));
          }
        }
        const order = chain.at(-1)?.[2] ?? [];
        for (const [code, id] of ids) {
          const live = others(order, code).filter((one) => published || one === 'en');
          const many = `/api/books?locale=all&filters[id]=${String(id)}&populate=localizations`;
          const preview = (await expectOk(serving, 'GET', `${many}&publicationState=preview`)).data[0];
          expect(codes(preview.attributes.localizations.data)).to.deep.equal(others(order, code));
          const query = `{ book(id: ${String(id)}) { data { attributes {
            live: localizations { data { attributes { locale } } }
            all: localizations(publicationState: PREVIEW) { data { attributes { locale } } }
            part: localizations(publicationState: PREVIEW, pagination: { start: 1, limit: 1 }) { data { attributes { locale } } }
          } } } }`;
          const { attributes } = (await expectOk(serving, 'POST', '/graphql', { query })).data.book.data;
          expect(codes(attributes.live.data)).to.deep.equal(live);
          expect(codes(attributes.all.data)).to.deep.equal(others(order, code));
          expect(codes(attributes.part.data)).to.deep.equal(others(order, code).slice(1, 2));
        }
      });
});

describe('commands of a new locale', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveLocales();
  });
  after(() => serving.stop());

  // Deletions send commands of their own a while later, so nothing is deleted here.
  it('the tenth locale costs as many as the first', async () => {
    const { data } = (await serving.call('POST', '/api/books', { data: { title: 'Costs' } })).body;
    await serving.settled();
    await serving.call('GET', '/api/books');
    const localize = async (locale: string): Promise<readonly string[]> => {
      const { commands, result } = await serving.countCommands(() =>
        serving.call('POST', `/api/books/${String(data.id)}/localizations`, { locale, title: locale }),
      );
      expect(result.status, JSON.stringify(result.body)).to.equal(200);
      return commands;
    };
    const first = await localize('fr');
    expect((await localize('de')).length).to.be.at.most(first.length);
  });
});

describe('single types', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveLocales();
  });
  after(() => serving.stop());

  const steps: readonly (readonly [string, string, object | undefined, number, object | string])[] = [
    ['GET', '/api/opening-hours', undefined, 404, 'Not Found'],
    ['DELETE', '/api/opening-hours', undefined, 404, 'Not Found'],
    ['PUT', '/api/opening-hours', { data: { monday: '09:00:00' } }, 200, { monday: '09:00:00.000', closed: false }],
    ['PUT', '/api/opening-hours', { data: { closed: true } }, 200, { monday: '09:00:00.000', closed: true }],
    ['GET', '/api/opening-hours?fields=closed', undefined, 200, { closed: true }],
    ['GET', '/api/opening-hours?fields=bogus', undefined, 400, 'Invalid parameter bogus'],
    ['GET', '/api/opening-hours-list', undefined, 404, 'Not Found'],
    ['POST', '/api/opening-hours', { data: {} }, 405, 'Method Not Allowed'],
    ['DELETE', '/api/opening-hours', undefined, 200, { closed: true }],
    ['GET', '/api/opening-hours', undefined, 404, 'Not Found'],
    // localized, with drafts
    ['PUT', '/api/storefront', { data: {} }, 400, 'headline must be defined.'],
    [
      'PUT',
      '/api/storefront',
      { data: { headline: 'Draft', founded: 1900, publishedAt: null } },
      200,
      { headline: 'Draft', publishedAt: null },
    ],
    ['GET', '/api/storefront', undefined, 404, 'Not Found'],
    ['GET', '/api/storefront?publicationState=preview', undefined, 200, { headline: 'Draft' }],
    [
      'PUT',
      '/api/storefront',
      { data: { headline: 'Shop', publishedAt: at } },
      200,
      { headline: 'Shop', locale: 'en', founded: 1900 },
    ],
    ['GET', '/api/storefront', undefined, 200, { headline: 'Shop' }],
    ['GET', '/api/storefront?locale=fr', undefined, 404, 'Not Found'],
    ['PUT', '/api/storefront?locale=fr', { data: { headline: 'Boutique' } }, 400, 'singleType.alreadyExists'],
    ['POST', '/api/storefront/localizations', { locale: 'fr', headline: 'Boutique', publishedAt: at }, 200, 'Boutique'],
    ['GET', '/api/storefront?locale=fr', undefined, 200, { headline: 'Boutique', founded: 1900 }],
    ['PUT', '/api/storefront?locale=fr', { data: { founded: 1901 } }, 200, { headline: 'Boutique', founded: 1901 }],
    ['GET', '/api/storefront', undefined, 200, { headline: 'Shop', founded: 1901 }],
    ['DELETE', '/api/storefront?locale=fr', undefined, 200, { headline: 'Boutique' }],
    ['GET', '/api/storefront', undefined, 200, { headline: 'Shop' }],
  ];
  for (const [index, [method, path, body, status, expected]] of steps.entries())
    it(`${String(index + 1)}. ${method} ${path} ${JSON.stringify(body) ?? ''}`, async () => {
      const answer = await serving.call(method, path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      if (typeof expected === 'object') expect(answer.body.data.attributes).to.deep.include(expected);
      else expect(answer.body.error?.message ?? answer.body.headline ?? answer.body).to.equal(expected);
    });
});
