/** Paths of GET requests to the routes of the API `place`. */
const paths: readonly string[] = [
  ...['', '/', '/any/', '/any', '/any/a', '/any/a/b', '/any/a%2Fb/c', '/any/a?x=1'].map((path) => `/api/places${path}`),
  ...['/two/a/b/and/c/d', '/two/and/and/and/x', '/pattern/a12', '/pattern/b1', '/pattern/c1', '/pattern/a'].map((path) => `/api/places${path}`), // prettier-ignore
  ...['/number/7', '/number/x', '/number/7/edit', '/number/7/edit/', '/number/7/', '/number/7//edit', '/number/-7'],
  ...['/word/one', '/word/three', '/word/ONE', '/file/a.b', '/file/a.b.c', '/file/a', '/file/.b', '/file/a.'],
  ...['/dotted/a.b.c', '/dotted/a/b.c', '/between/a-b', '/between/a-b-c', '/between/a', '/at/@ann', '/at/ann'],
  ...['/optional', '/optional/', '/optional/1', '/optional/1/2', '/middle/end', '/middle/1/end', '/middle//end'],
  ...['/group', '/group/1', '/group/', '/group/1/2', '/named-group/end', '/named-group/x-1-y/end', '/named-group/1/end'],
  ...['/many', '/many/', '/many/a', '/many/a/b/c', '/many/a//b', '/more', '/more/a', '/more/a/b', '/more/a/b/'],
  ...['/more-numbers/1/2', '/more-numbers/1/x', '/letters/abc/1', '/letters/a1/1', '/unnamed/1/2', '/unnamed/1/x'],
  ...['/same/1/2', '/slash/', '/slash', '/Case/Ann', '/case/ANN', '/CASE/ann', '/escaped/(x)', '/escaped/x'],
  ...['/space/a%20b', '/space/a+b', '/plus/a+b', '/plus/aab', '/order/1', '/order/first', '/before/first', '/before/2'],
  ...['/wide', '/wide/a', '/wide/a/b', '/wide/a/b/c', '/underscore/x', '/digit/x', '/long/1/2/3/4', '/long/1/2/3'],
  ...['/underscore/a%20b', '/underscore/a%2Fb', '/underscore/%C3%A9', '/underscore/%E0%A4%A', '/underscore/a+b'],
  ...['/underscore/%', '/underscore/a;b=c', '/underscore/a,b', '/underscore/a:b', '/underscore/:x', '/underscore/(.*)'],
  ...['/underscore/__proto__', '/underscore/constructor', "/underscore/a'b", '/underscore/%00', '/underscore/null'],
].map((path) => (path.startsWith('/api/') ? path : `/api/places${path}`));

const configured: readonly string[] = [
  ...['/function', '/async-function', '/list', '/full-name', '/returns', '/returns-null', '/returns-text', '/returns-nothing'],
  ...['/sets-and-returns', '/status', '/policy-true', '/policy-nothing', '/policy-false', '/policy-null', '/policy-text'],
  ...['/policy-throws', '/policy-function', '/policy-function?pass=yes', '/policies', '/middleware', '/middleware-config'],
  ...['/middleware-answers', '/middleware-function', '/middlewares', '/order', '/order-refused', '/closed', '/auth-empty'],
  ...['/scope', '/scope-policy', '/no-prefix/1', '/own-prefix/1', '/plain', '/nothing'],
];

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const ofMethods = ['/read/1', '/each', '/all', '/both/1', '/only', '/twice', '/gone/1', '/nothing'];

type Request = readonly [method: string, path: string, body?: unknown];

/** Requests to the routes of the API `place`. */
export const routeRequests: readonly Request[] = [
  ...paths.map((path): Request => ['GET', path]),
  ...configured.map((path): Request => ['GET', `/api/configured${path}`]),
  ...ofMethods.flatMap((path) => methods.map((method): Request => [method, `/api/methods${path}`])),
  ['POST', '/api/methods/each', { a: 1 }],
  ['PUT', '/api/places/number/7', {}],
  ['HEAD', '/api/configured/policy-false'],
  ['HEAD', '/api/configured/closed'],
  ['OPTIONS', '/api/configured/closed'],
  ['OPTIONS', '/api/places/order/first'],
  ['DELETE', '/api/configured/closed'],
  ...['/configured/no-prefix/1', '/elsewhere/configured/own-prefix/1', '/api/elsewhere/configured/own-prefix/1'].map((path): Request => ['GET', path]), // prettier-ignore
  ...['/prefixed/inside/1', '/api/prefixed/inside/1', '/api/inside/1', '/outside/1', '/api/outside/1'].map((path): Request => ['GET', path]), // prettier-ignore
];
