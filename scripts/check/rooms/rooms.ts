/** The rooms of src, lowest first. A room imports from lower rooms and from itself. */
export const rooms = [
  'base',
  'client',
  'settings',
  'model',
  'store',
  'content',
  'accounts',
  'media',
  'http',
  'api',
  'admin',
  'strapi',
  'operate',
] as const;

/** The files of src itself put the rooms together. They and `operate` may import each other. */
export const top = 'top';

/** The room that everything may be imported from: it has no doors. */
export const openRoom = 'base';

/** The order inside rooms and folders that have folders, lowest first; `.` are the files of the folder itself. */
export const innerLevels: Readonly<Record<string, readonly (readonly string[])[]>> = {
  model: [['schema'], ['query']],
  store: [['form'], ['send'], ['changes'], ['.'], ['stores', 'read'], ['write', 'models']],
  content: [['rights'], ['.']],
  accounts: [['mail', 'providers'], ['.'], ['login', 'roles'], ['users']],
  media: [['storage'], ['images', 'hosting'], ['.']],
  api: [['code', 'webhooks'], ['history', 'sync'], ['trash'], ['rest', 'graphql', 'openapi', 'start-page'], ['mcp', 'push']],
  'api/graphql': [['.'], ['selection'], ['execute'], ['types'], ['plugins', 'playground', 'live'], ['endpoint'], ['extension']],
  strapi: [['load'], ['content'], ['services'], ['admin'], ['routes'], ['runtime'], ['packages'], ['project']],
  operate: [['embedded', 'raw'], ['transfer'], ['backup'], ['doctor', 'service'], ['cli']],
};

/** Imports that the order allows and the architecture forbids, by the beginnings of paths, with what to do instead. */
export const forbidden: readonly (readonly [from: string, to: string, advice: string])[] = [
  ['model/', 'settings/', 'let the caller pass the setting'],
  ['strapi/', 'api/graphql/', 'state what is needed as an interface, like GivenStrapi, and let operate/ pass the value'],
  ['http/', 'accounts/', 'move the type to content/rights/, like that of content/rights/accounts.ts'],
  ['media/', 'accounts/', 'move what is needed to content/rights/'],
  ['client/', '', 'the client runs in a browser: state what is needed in client/'],
  ['', 'client/', 'the client is for applications: the service does not import it'],
];

/** Packages that only some folders may import. The first pattern that matches a name holds. */
export const owners: readonly (readonly [name: RegExp, folders: readonly string[]])[] = [
  [/^mongodb(-|$)/, ['store', 'operate/embedded', 'operate/raw']],
  [/^(koa|@koa\/.*|koa-.*)$/, ['http', 'api/rest', 'api/graphql', 'api/openapi', 'admin', 'media', 'strapi']],
  [/^(graphql|graphql-.*|@graphql-.*|nexus)$/, ['api/graphql']],
  [/^qs$/, ['http', 'api/rest']],
  [/^(jsonwebtoken|bcrypt)$/, ['content', 'accounts']],
  [/^croner$/, ['strapi', 'operate/backup']],
  [/^@modelcontextprotocol\//, ['api/mcp']],
  [/^ajv$/, ['settings', 'model/schema', 'admin/api']],
];

/** The room of a file, by its path from src; null if it is in none. */
export function roomOf(name: string): string | null {
  const [first = '', ...rest] = name.split('/');
  if (rest.length === 0) return top;
  return rooms.find((room) => room === first) ?? null;
}

/** The level of a file's room, 0 for the lowest; -1 if it is in none. The files that put the rooms together are on the highest. */
export function levelOf(name: string): number {
  const room = roomOf(name);
  return room === top ? rooms.length : rooms.findIndex((other) => other === room);
}
