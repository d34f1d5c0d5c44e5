/** A route of the panel, as code of Strapi v4 reads it in `ctx.state.route`. */
interface CodeRoute {
  readonly method: string;
  /** The path without the name of the plugin, such as `/collection-types/:model`. */
  readonly path: string;
  /** The action of the content manager, such as `collection-types.create`; absent for other routes. */
  readonly handler?: string;
  readonly config: object;
  readonly info: { readonly type: 'admin'; readonly pluginName: string };
}

/** Returns what code sees of the route of a method and a path, such as `/content-manager/collection-types/:uid`. */
export function codeRoute(method: string, fullPath: string): CodeRoute {
  const [, pluginName = '', path = ''] = /^\/([^/]+)(.*)$/.exec(fullPath.replace(':uid', ':model')) ?? [];
  const handler = pluginName === 'content-manager' ? contentAction(method, path) : null;
  return { method, path, ...(handler !== null && { handler }), config: {}, info: { type: 'admin', pluginName } };
}

type Actions = Readonly<Record<string, string>>;

/** The actions of paths that do not name theirs: those of a type, of an entry, and of the entry of a single type. */
const ofType: Actions = { GET: 'find', POST: 'create' };
const ofEntry: Actions = { GET: 'findOne', PUT: 'update', DELETE: 'delete' };
const ofSingle: Actions = { GET: 'find', PUT: 'createOrUpdate', DELETE: 'delete' };

/** Returns the action of a route for entries, which the end of its path names if it is none of the usual ones. */
function contentAction(method: string, path: string): string | null {
  const [, kind, rest = ''] = /^\/(collection-types|single-types)\/:model(.*)$/.exec(path) ?? [];
  if (kind === undefined) return null;
  const [, named] = /^(?:\/:id)?\/(?:actions\/)?([a-z][\w-]*)/i.exec(rest) ?? [];
  const usual = kind === 'single-types' ? ofSingle : rest === '' ? ofType : ofEntry;
  const action = named === 'auto-clone' ? 'autoClone' : (named ?? usual[method]);
  return action === undefined ? null : `${kind}.${action}`;
}
