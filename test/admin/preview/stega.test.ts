import { vercelStegaDecode, vercelStegaSplit } from '@vercel/stega';
import { expect } from 'chai';
import { type Previewing, servePreview } from './serve-preview.js';

/** Reads a mark as front ends do. */
function markIn(marked: string): { readonly text: string; readonly origin: string; readonly href: URL } {
  const { origin, href } = vercelStegaDecode<{ readonly origin: string; readonly href: string }>(marked) ?? {
    origin: '',
    href: '',
  };
  return { text: vercelStegaSplit(marked).cleaned, origin, href: new URL(href) };
}

describe('sourceMap=stega with a preview token', () => {
  let previewing: Previewing;

  before(async () => {
    previewing = await servePreview([]);
  });
  after(() => previewing.serving.stop());

  it('marks texts with the place where they are edited', async () => {
    const token = await previewing.tokenFor('super', 2);
    const { body } = await previewing.read('/api/articles/2?populate=*&sourceMap=stega', token);
    const { title, slug, seo, author } = body.data.attributes;
    const own = markIn(title);
    expect(own).to.include({ text: 'Draft', origin: 'mangrove' });
    expect(own.href.pathname).to.equal('/admin/content-manager/collection-types/api::article.article/2');
    expect(own.href.searchParams.get('field')).to.equal('title');
    expect(markIn(seo.note).href.searchParams.get('field')).to.equal('seo.note');
    expect(markIn(author.data.attributes.name).href.pathname).to.match(/api::author\.author\/1$/);
    expect(slug).to.equal('draft');
  });

  it('marks those of a single type with its form', async () => {
    const token = await previewing.tokenFor('super', 1, 'api::home.home');
    const { body } = await previewing.read('/api/home?sourceMap=stega', token);
    const { text, href } = markIn(body.data.attributes.title);
    expect([text, href.pathname]).to.deep.equal(['Home', '/admin/content-manager/single-types/api::home.home']);
  });

  it('is refused without a token, and other values with one', async () => {
    expect((await previewing.read('/api/articles/2?sourceMap=stega')).status).to.be.oneOf([400, 401]);
    const token = await previewing.tokenFor('super', 2);
    expect((await previewing.read('/api/articles/2?sourceMap=other', token)).status).to.equal(400);
    const { body } = await previewing.read('/api/articles/2', token);
    expect(body.data.attributes.title).to.equal('Draft');
  });
});
