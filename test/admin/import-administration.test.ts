import { expect } from 'chai';
import { adminRole } from '#admin/administrators/administrator.js';
import { judgeAdministration } from '#operate/transfer/panel/administration.js';
import { permissionOf } from '#admin/rights/permission.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { PanelRecord } from '#operate/transfer/panel-records.js';

const { registry } = buildRegistry([]);
const hash = `$2a$10$${'x'.repeat(53)}`;
const role = (id: number, name: unknown, code: unknown): PanelRecord => ({
  type: 'admin::role',
  id,
  data: { name, code },
  roles: [],
});
const right = (id: number, of: number, action: string, more: object = {}): PanelRecord => ({
  type: 'admin::permission',
  id,
  data: { action, ...more },
  roles: [of],
});
const user = (id: number, email: unknown, roles: readonly number[], more: object = {}): PanelRecord => ({
  type: 'admin::user',
  id,
  data: { email, password: hash, ...more },
  roles,
});

/** Two stored roles: an administrator has the first one. */
const stored = {
  administrators: [{ _id: 1, email: 'ann@mail.test', roles: [2] }],
  roles: new Map(
    [
      { _id: 2, name: 'Editor', code: 'strapi-editor' },
      { _id: 3, name: 'Author', code: 'strapi-author' },
    ].map((document) => [document._id, adminRole(document)]),
  ),
  permissions: new Map([[2, [permissionOf({ _id: 1, action: 'plugin::upload.read' })]]]),
};
const [read, write] = ['plugin::upload.read', 'plugin::upload.assets.create'];

/** [what, records, taken roles as [source, stored, actions], taken administrators as [source, stored], reasons of the report] */
type Case = readonly [
  what: string,
  records: readonly PanelRecord[],
  roles: readonly unknown[],
  administrators: readonly unknown[],
  ...reasons: readonly RegExp[],
];

const cases: readonly Case[] = [
  [
    'a role that an administrator has, with the same rights',
    [role(7, 'Editor', 'strapi-editor'), right(1, 7, read)],
    [[7, 2, null]],
    [],
  ],
  [
    'a role that an administrator has, with more rights',
    [role(7, 'Editor', 'strapi-editor'), right(1, 7, read), right(2, 7, write)],
    [[7, 2, null]],
    [],
    /a role keeps its permissions/,
  ],
  [
    'a role that nobody has gets the rights of the source',
    [role(7, 'Writer', 'strapi-author'), right(1, 7, write)],
    [[7, 3, [write]]],
    [],
  ],
  ['a role of a source without any rights', [role(7, 'Author', 'strapi-author')], [[7, 3, null]], []],
  ['a new role', [role(7, 'Readers', 'readers'), right(1, 7, read), right(2, 8, write)], [[7, null, [read]]], []],
  ['all rights, which are not stored', [role(1, 'S', 'strapi-super-admin'), right(1, 1, read)], [[1, null, null]], []],
  ['a new role of a stored name', [role(7, 'Editor', 'other')], [], [], /another role has its name/],
  [
    'two roles of one code, and one without a name',
    [role(7, 'A', 'a'), role(8, 'B', 'a'), role(9, null, 'c')],
    [[7, null, null]],
    [],
    /no name and code of its own/,
    /no name and code of its own/,
  ],
  ['an action that there is not', [role(7, 'A', 'a'), right(1, 7, 'plugin::none.read')], [[7, null, []]], [], /no such action/],
  [
    'two permissions for one action',
    [role(7, 'A', 'a'), right(1, 7, read, { conditions: ['admin::is-creator'] }), right(2, 7, read), right(3, 7, write)],
    [[7, null, [read, write]]],
    [],
    /another one is for the same action/,
  ],
  [
    'a permission with more names than the panel takes',
    [role(7, 'A', 'a'), right(1, 7, read, { conditions: Array.from({ length: 2_001 }, (_, n) => `c${String(n)}`) })],
    [[7, null, []]],
    [],
    /too many names/,
  ],
  ['an administrator who is stored', [user(4, 'ANN@mail.test', [1])], [], [[4, 1]]],
  ['a new administrator', [role(7, 'A', 'a'), user(4, 'bob@mail.test', [7])], [[7, null, null]], [[4, null]]],
  ['one without a role', [user(4, 'bob@mail.test', [7])], [], [[4, null]], /an administrator has no role/],
  ['no e-mail address', [user(4, { $ne: null }, []), user(5, undefined, [])], [], [], /not valid/, /not valid/],
  ['no password', [user(4, 'bob@mail.test', [], { password: null })], [], [], /no password yet/],
  ['a password in plain text', [user(4, 'bob@mail.test', [], { password: 'Passw0rd' })], [], [], /not a hash of bcrypt/],
];

describe('the administration of a source', () => {
  for (const [what, records, roles, administrators, ...reasons] of cases)
    it(`is taken without giving anybody who is stored more rights: ${what}`, () => {
      const reported: string[] = [];
      const coming = judgeAdministration(records, stored, { registry, report: (reason) => void reported.push(reason) });
      const actions = coming.roles.map(({ source, stored: known, permissions }) => [
        source,
        known?.id ?? null,
        permissions?.map(({ action }) => action) ?? null,
      ]);
      expect(actions).to.deep.equal(roles);
      expect(coming.administrators.map((one) => [one.source, one.stored?.['_id'] ?? null] as unknown)).to.deep.equal(
        administrators,
      );
      expect(reported).to.have.lengthOf(reasons.length, reported.join('\n'));
      for (const [index, reason] of reasons.entries()) expect(reported[index]).to.match(reason);
    });
});
