import type { Attack } from './attack.js';
import { isRefused, memos, type Sender, type Try, trying } from './panel.js';

const explorer = (action: string, properties: object = {}): object => ({
  ...{ action: `plugin::content-manager.explorer.${action}`, subject: 'api::memo.memo', properties },
});
const giving = (...permissions: readonly object[]): object => ({ permissions });

const managerRights = 'PUT /admin/roles/{manager role}/permissions';
const readerRights = 'PUT /admin/roles/{reader role}/permissions';

/** A manager of others may not get more rights than they have. */
const escalations: readonly Try[] = [
  ['manager', managerRights, giving(explorer('read', { fields: ['title', 'secret'] })), [400, 403]],
  ['manager', managerRights, giving({ action: 'admin::users.read' }), [400, 403]],
  ['manager', readerRights, giving({ action: 'admin::webhooks.create' }), 403],
  ['manager', readerRights, giving(explorer('read', { fields: ['secret'], locales: ['en'] })), 403],
  ['manager', readerRights, giving(explorer('read', { fields: ['title'] })), 403],
  ['manager', readerRights, giving(explorer('delete')), 403],
  ['manager', 'PUT /admin/roles/1/permissions', giving(), 400],
  ['manager', 'PUT /admin/roles/1', { name: 'mine' }, 400],
  ['manager', 'DELETE /admin/roles/1', undefined, 400],
  ['manager', 'POST /admin/roles/batch-delete', { ids: [1] }, 400],
  ['manager', 'PUT /admin/users/{manager}', { roles: [1] }, 403],
  ['manager', 'PUT /admin/users/{manager}', { roles: ['{manager role}', '{writer role}'] }, 403],
  ['manager', 'PUT /admin/users/me', { roles: [1] }, 400],
  ['manager', 'PUT /admin/users/me', { isActive: true, blocked: false, id: 1 }, 400],
  ['manager', 'PUT /admin/users/me', { password: 'Password2' }, 400],
  ['manager', 'POST /admin/users', { email: 'x@mail.test', firstname: 'x', roles: [1] }, 403],
  ['manager', 'POST /admin/users', { email: 'x@mail.test', firstname: 'x', roles: ['{writer role}'] }, 403],
  ['manager', 'POST /admin/users', { email: 'x@mail.test', firstname: 'x', roles: ['{manager role}'], isActive: true }, 400],
  ['manager', 'PUT /admin/users/1', { password: 'Password2' }, 403],
  ['manager', 'PUT /admin/users/1', { email: 'manager2@mail.test' }, 403],
  ['manager', 'PUT /admin/users/{writer}', { password: 'Password2' }, 403],
  ['manager', 'DELETE /admin/users/1', undefined, [400, 403]],
  ['manager', 'POST /admin/users/batch-delete', { ids: ['{manager}', 1] }, [400, 403]],
  ['manager', 'GET /admin/users?filters[password][$startsWith]=$2', undefined, 400],
  ['manager', 'GET /admin/users?sort=resetPasswordToken', undefined, 400],
  ['manager', 'GET /admin/users?_q=$2a$', undefined, '"total":0'],
  ['manager', 'GET /admin/users/1', undefined, '!password'],
  ['manager', 'POST /admin/api-tokens', { name: 'mine', type: 'full-access', lifespan: null }, 403],
  ['manager', 'POST /admin/register-admin', { email: 'x@mail.test', firstname: 'x', password: 'Password1' }, 400],
  ['super', 'PUT /admin/users/1', { isActive: false }, 400],
  ['super', 'DELETE /admin/users/1', undefined, 400],
];

const entry = `${memos}/{memo}` as const;
const ofOther = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, expected: Try[3] = 403): Try => [
  'writer',
  `${method} /${path.slice(1)}`,
  body,
  expected,
];

/** The writer may only do something with own entries. `{memo}` is one of the super admin. */
const foreignEntries: readonly Try[] = [
  ofOther('GET', entry),
  ofOther('PUT', entry, { title: 'stolen' }),
  ofOther('DELETE', entry),
  ofOther('POST', `${entry}/actions/publish`),
  ofOther('POST', `${entry}/actions/unpublish`),
  ofOther('POST', `${memos}/clone/{memo}`, { title: 'copy' }),
  ofOther('POST', `${memos}/auto-clone/{memo}`, {}, [400, 403]),
  ...['bulkPublish', 'bulkUnpublish', 'bulkDelete'].map((action) =>
    ofOther('POST', `${memos}/actions/${action}`, { ids: ['{own}', '{memo}'] }),
  ),
  ofOther('GET', `${entry}/actions/countDraftRelations`),
  ofOther('GET', `${memos}/actions/countManyEntriesDraftRelations?ids[0]={memo}`, undefined, '"data":0'),
  ofOther('GET', '/content-manager/relations/api::memo.memo/{memo}/other'),
  ofOther('GET', '/content-manager/relations/api::memo.memo/other?entityId={memo}'),
  ofOther('GET', '/content-manager/relations/api::memo.memo/other?idsToInclude[0]={memo}', undefined, '!"id":{memo}'),
  ofOther('GET', '/content-manager/relations/api::memo.memo/note', undefined, '!Note'),
  ofOther('PUT', `${memos}/{own}`, { other: { connect: [{ id: '{memo}' }] } }, 400),
  ofOther('PUT', `${memos}/{own}`, { createdBy: 1, id: '{memo}', _id: '{memo}' }, '"title":"own"'),
  ofOther('POST', `${memos}?relatedEntityId={memo}&locale=de`, { title: 'x' }, [400, 403]),
  ofOther('POST', '/i18n/content-manager/actions/get-non-localized-fields', {
    model: 'api::memo.memo',
    id: '{memo}',
    locale: 'en',
  }),
  ofOther('GET', `${memos}?filters[id]={memo}`, undefined, '"total":0'),
  ofOther('GET', `${memos}?_q=memo`, undefined, '"total":0'),
  ofOther('GET', `${memos}?filters[$or][0][id]={memo}&filters[$or][1][id][$gt]=0`, undefined, '"total":1'),
  ofOther('GET', '/upload/files/1'),
  ofOther('POST', '/upload?id=1', { fileInfo: { name: 'mine' } }),
  ofOther('DELETE', '/upload/files/1'),
  ofOther('POST', '/upload/actions/bulk-delete', { fileIds: [1] }),
  // the entry is as it was
  ['super', `GET ${entry}`, undefined, '"title":"memo"'],
  ['super', `GET ${entry}`, undefined, '"publishedAt":null'],
];

const hiddenPaths = ['secret', 'hidden.note', 'other.secret', 'createdBy.password', 'createdBy.email'] as const;

const bracketed = (path: string): string =>
  path
    .split('.')
    .map((name) => `[${name}]`)
    .join('');

const slugOf = { contentTypeUID: 'api::memo.memo', field: 'slug', data: { title: 'memo' } };
const users = '/content-manager/collection-types/plugin::users-permissions.user';

/** A list that is filtered or sorted by hidden values is refused, whatever they are compared with. */
const hiddenFields: readonly Try[] = [
  ...hiddenPaths.flatMap((path) => [
    ...['s', 'zz'].map((start): Try => [
      'reader',
      `GET ${memos}?filters${bracketed(path)}[$startsWith]=${start}`,
      undefined,
      400,
    ]),
    ['reader', `GET ${memos}?sort=${path}`, undefined, 400] satisfies Try,
  ]),
  ['reader', `GET ${memos}?filters[$not][secret][$startsWith]=s`, undefined, 400],
  ['reader', `GET ${memos}?_q=s3cret`, undefined, '"total":0'],
  ...['secret', 'hidden'].map((name): Try => ['reader', `GET ${memos}?fields[0]=${name}`, undefined, 400]),
  ['reader', `GET ${memos}?populate=*&populate[createdBy]=*`, undefined, '!s3cret'],
  ['reader', `GET ${memos}?populate[createdBy][fields]=email`, undefined, '!super@mail.test'],
  ['reader', `GET ${entry}`, undefined, '!s3cret'],
  ['reader', 'GET /content-manager/relations/api::memo.memo/other', undefined, '!s3cret'],
  ['reader', 'POST /content-manager/uid/generate', slugOf, 403],
  ['reader', `GET ${users}`, undefined, 403],
  ['super', `GET ${users}?filters[password][$startsWith]=$2&sort=password`, undefined, 400],
  ['super', 'GET /content-manager/collection-types/admin::user', undefined, 403],
];

/** Administrators without rights on a page. */
const unrelated: readonly Try[] = (['writer', 'reader', 'nobody'] as const).flatMap((as: Sender): readonly Try[] => [
  [as, 'POST /content-type-builder/content-types', {}, isRefused],
  [as, 'DELETE /content-type-builder/content-types/api::memo.memo', undefined, isRefused],
  [as, 'PUT /content-manager/content-types/api::memo.memo/configuration', { settings: {} }, isRefused],
  [as, 'PUT /content-manager/components/panel.part/configuration', { settings: {} }, isRefused],
  [as, 'POST /admin/webhooks', {}, isRefused],
  [as, 'PUT /users-permissions/roles/2', { permissions: {} }, isRefused],
  [as, 'PUT /users-permissions/advanced', { default_role: 'authenticated' }, isRefused],
  [as, 'POST /i18n/locales', { code: 'fr', name: 'fr', isDefault: true }, isRefused],
  [as, 'GET /admin/users', undefined, isRefused],
  [as, 'GET /admin/api-tokens', undefined, isRefused],
  [as, 'PUT /admin/api-tokens/1', { type: 'full-access' }, isRefused],
]);

/** Attacks by administrators with few rights. */
export const panelRightsAttacks: readonly Attack[] = [
  trying('roles and accounts of others', escalations),
  trying('entries and files of others', foreignEntries),
  trying('hidden fields', hiddenFields),
  trying('pages without rights', unrelated),
];
