import type { Attack, Hit } from './attack.js';
import { isRefused, memos, openPanel, type Panel, type PanelAnswer, type Try, trying, tryPanel } from './panel.js';

const script = '<script>alert(1)</script>';

/** Whether an answer that contains a script cannot run it in a browser. */
const isHarmless = ({ headers }: PanelAnswer): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true && headers.get('x-content-type-options') === 'nosniff';

/** Scripts in labels, texts and names are answered as JSON that no browser runs. */
const scripts: readonly Try[] = [
  ['super', `POST ${memos}`, { title: script, secret: `[x](javascript:alert(1)) ${script}` }, isHarmless],
  ['super', `GET ${memos}?_q=script`, undefined, isHarmless],
  ['super', `GET ${memos}?filters[${script}]=1`, undefined, isHarmless],
  ['super', `GET ${memos}?sort=${script}`, undefined, isHarmless],
  ['super', `GET /content-manager/collection-types/${encodeURIComponent(script)}`, undefined, isHarmless],
  ['super', 'POST /admin/roles', { name: script, description: script }, isHarmless],
  ['super', `GET /admin/${encodeURIComponent(script)}`, undefined, ({ text: page }) => !page.includes('<script>alert')],
  ['nobody', `GET /admin/init?x=${encodeURIComponent(script)}`, undefined, isHarmless],
];

/** Files that a browser would run: they are downloaded, or run without rights. */
const dangerousFiles = [
  ['evil.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
  ['evil.html', 'text/html', script],
  ['evil.xhtml', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`],
  ['evil.png', 'image/png', script],
  ['evil"\r\nx: y.js', 'text/javascript', 'alert(1)'],
  ['../../../evil.html', 'text/plain', script],
] as const;

const isContained = ({ headers }: PanelAnswer): boolean =>
  headers.get('x-content-type-options') === 'nosniff' &&
  (headers.get('content-disposition')?.startsWith('attachment') === true ||
    /sandbox|default-src 'none'/.test(headers.get('content-security-policy') ?? '') ||
    /^image\/(png|jpeg)/.test(headers.get('content-type') ?? ''));

async function tryFiles(panel: Panel): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  for (const [name, type, content] of dangerousFiles) {
    const form = new FormData();
    form.append('files', new Blob([content], { type }), name);
    const { status, text: answer } = await panel.ask('super', 'POST /upload', form);
    const [file] = status < 300 ? (JSON.parse(answer) as { readonly url: string }[]) : [];
    hits.push({ status, bytes: answer.length, achieved: status < 500 ? null : `${name} was answered ${String(status)}` });
    if (file !== undefined) hits.push(await tryPanel(panel, ['nobody', `GET ${file.url as '/'}`, undefined, isContained]));
  }
  return hits;
}

const many = 250_000;

const manyTexts = Array(many).fill('x');
const manyNames = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`a${String(n)}`, {}]));
const types = 'POST /content-type-builder/content-types';
const readerRights = 'PUT /admin/roles/{reader role}/permissions';
const uidOf = { contentTypeUID: 'api::memo.memo', field: 'slug' };

/** Bodies that are small for their effect. Each is answered, and soon: others are served meanwhile. */
const hugeBodies: readonly Try[] = [
  ['writer', 'POST /admin/permissions/check', { permissions: Array(many).fill(1) }, 400],
  ['writer', 'POST /admin/permissions/check', { permissions: Array(50_000).fill({}) }, 400],
  ['manager', readerRights, { permissions: Array(many).fill(1) }, 400],
  ['manager', readerRights, { permissions: [{ action: 'x', conditions: manyTexts }] }, 400],
  ['manager', readerRights, { permissions: [{ action: 'x', properties: { fields: manyTexts } }] }, 400],
  ['manager', 'POST /admin/users/batch-delete', { ids: Array(many).fill(1) }, 400],
  ['manager', 'POST /admin/roles/batch-delete', { ids: Array(many).fill(1) }, 400],
  ['writer', `POST ${memos}/actions/bulkDelete`, { ids: Array(many).fill(1) }, 400],
  ['writer', `GET ${memos}/actions/countManyEntriesDraftRelations?ids=${'1,'.repeat(3_000)}`, undefined, [200, 400]],
  ['writer', 'POST /upload/actions/bulk-delete', { fileIds: Array(many).fill(1) }, 400],
  ['writer', 'POST /upload/actions/bulk-move', { fileIds: Array(many).fill(1), destinationFolderId: null }, 400],
  ['super', 'POST /admin/webhooks', { name: 'x', url: 'http://example.org/', headers: {}, events: manyTexts }, 400],
  ['super', 'POST /admin/webhooks/batch-delete', { ids: manyTexts }, 400],
  ['super', 'POST /admin/api-tokens', { name: 'x', type: 'custom', lifespan: null, permissions: manyTexts }, 400],
  ['super', types, { contentType: { attributes: manyNames }, components: [] }, 400],
  ['super', types, { contentType: {}, components: Array(30_000).fill({}) }, 400],
  ['super', 'PUT /users-permissions/roles/1', { name: 'x', description: 'x', permissions: manyNames }, [200, 400]],
  ['writer', `POST ${memos}`, `{"title":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
  ['writer', `PUT ${memos}/{own}`, { title: 'own', slug: 'x'.repeat(900_000) }, [200, 400]],
  ['writer', 'POST /content-manager/uid/generate', { ...uidOf, data: { title: 'x'.repeat(900_000) } }, [200, 400]],
  ['writer', 'POST /content-manager/uid/check-availability', { ...uidOf, value: `${'a'.repeat(900_000)}!` }, 400],
];

const inLocale = (locale: string): string => `${memos}?locale=${encodeURIComponent(locale)}`;

/** Locales that do not exist, or look like operators or paths. */
const locales: readonly Try[] = [
  ...['xx', '__proto__', '$ne', '../en', "en' or 1=1", 'en\u0000'].flatMap((locale): readonly Try[] => [
    ['writer', `POST ${inLocale(locale) as '/'}`, { title: 'x' }, isRefused],
    [
      'super',
      `GET ${inLocale(locale) as '/'}`,
      undefined,
      ({ status, text: answer }) => isRefused({ status } as PanelAnswer) || answer.includes('"total":0'),
    ],
  ]),
  [
    'reader',
    `GET ${memos}?locale[$ne]=xx`,
    undefined,
    ({ status, text: answer }) => status === 400 || !answer.includes('"locale":"de"'),
  ],
  ['writer', `POST ${memos}?locale=de`, { title: 'x' }, (answer) => !answer.text.includes('"locale":"de"')],
  ['writer', `POST ${memos}`, { title: 'x', locale: 'de', localizations: ['{memo}'] }, '"locale":"en"'],
  ['super', 'POST /i18n/locales', { code: '__proto__', name: 'x', isDefault: false }, 400],
  ['super', 'POST /i18n/locales', { code: 'en"}', name: script, isDefault: true }, 400],
];

/** Attacks by what administrators send: texts, files, bodies and locales. */
export const panelBodyAttacks: readonly Attack[] = [
  trying('scripts in texts', scripts),
  { ...trying('scripts in files', []), run: async (target) => tryFiles(await openPanel(target)) },
  trying('huge bodies', hugeBodies),
  trying('locales', locales),
];
