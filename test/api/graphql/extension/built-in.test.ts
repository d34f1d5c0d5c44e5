import { expect } from 'chai';
import { ApplicationError, PolicyError, type Middleware, type PolicyContext, type Register } from '#index.js';
import { password, serveAccounts, type ServingAccounts } from '../../../content/rights/serve-accounts.js';

const log: string[] = [];

const noting: Middleware = async (next, parent, args, context, info) => {
  log.push(`${info.fieldName}: before`);
  const value: unknown = await next(parent, args, context, info);
  log.push(`${info.fieldName}: after`);
  return value;
};

const noUpload = ({ args }: PolicyContext) => args.ref !== 'api::note.note';

const register: Register = ({ graphql: { extension } }) => {
  extension.use({
    typeDefs: 'extend input UsersPermissionsRegisterInput { invitation: String }',
    resolversConfig: {
      'Mutation.login': {
        middlewares: [
          noting,
          (next, parent, { input }) => next(parent, { input: { ...input, identifier: input.identifier.trim() } }) as unknown,
        ],
        policies: [({ args }) => args.input.identifier !== 'locked'],
      },
      'Mutation.register': {
        middlewares: [
          noting,
          async (next, parent, { input: { invitation, ...input } }) => {
            if (invitation !== 'yes') throw new ApplicationError('By invitation only', { invitation });
            const session = (await next(parent, { input })) as { jwt: string };
            return { ...session, jwt: `${session.jwt.slice(0, 2)}...` };
          },
        ],
        policies: [({ args, http }) => { log.push(`register from ${http.method}`); if (args.input.email.endsWith('.bad')) throw new PolicyError('Not from there'); }], // prettier-ignore
      },
      'Query.me': { middlewares: [noting], policies: [({ state }) => state.user.username !== 'ben'] },
      'UsersPermissionsMe.email': { middlewares: [async (next) => String(await next()).replace('@', ' at ')] },
      'Mutation.forgotPassword': { auth: { scope: ['api::article.article.find'] } },
      'Mutation.changePassword': { auth: false, policies: [() => false] },
      'Mutation.upload': { auth: false, middlewares: [noting], policies: [noUpload] },
      'Mutation.updateFileInfo': {
        auth: false,
        middlewares: [(next, parent, args) => next(parent, { ...args, info: { caption: 'by a middleware' } }) as unknown],
      },
      'Mutation.removeFile': {
        auth: { scope: ['plugin::upload.content-api.destroy'] },
        policies: [() => log.push('removeFile') > 0],
      },
    },
  });
};

describe('resolversConfig of built-in fields', () => {
  let server: ServingAccounts;
  let ann: { id: number; jwt: string };
  let ben: { id: number; jwt: string };
  before(async () => {
    server = await serveAccounts({ register });
    ann = await server.addUser('ann');
    ben = await server.addUser('ben');
    await server.addUser('locked');
  });
  after(() => server.stop());
  beforeEach(() => (log.length = 0));

  const ask = async (query: string, key: string | null = null) => (await server.as(key, 'POST', '/graphql', { query })).body;
  const messageOf = async (query: string, key: string | null = null) => (await ask(query, key)).errors[0].message as string;
  const login = (identifier: string) =>
    `mutation { login(input: { identifier: "${identifier}", password: "${password}" }) { jwt user { username } } }`;
  const join = (name: string, more: string) =>
    `mutation { register(input: { username: "${name}", email: "${name}@mail.${more}, password: "${password}" }) { jwt user { username email } } }`;

  it('Mutation.login: middlewares may change what is entered, policies refuse', async () => {
    const { data } = await ask(login(' ann '));
    expect(data.login.user).to.deep.equal({ username: 'ann' });
    expect(data.login.jwt).to.be.a('string');
    expect(log).to.deep.equal(['login: before', 'login: after']);
    expect(await messageOf(login('locked'))).to.equal('Policy Failed');
    expect(await messageOf(login('nobody'))).to.equal('Invalid identifier or password');
  });

  it('Mutation.register: a field added to its input, a changed answer, errors in the form of Strapi v4', async () => {
    expect((await ask(join('cleo', 'test", invitation: "yes"'))).data.register).to.deep.equal({
      jwt: 'ey...',
      user: { username: 'cleo', email: 'cleo at mail.test' },
    });
    expect(log).to.deep.equal(['register: before', 'register from POST', 'register: after']);
    expect((await ask(join('dora', 'test", invitation: "no"'))).errors).to.deep.equal([
      {
        message: 'By invitation only',
        extensions: {
          error: { name: 'ApplicationError', message: 'By invitation only', details: { invitation: 'no' } },
          code: 'STRAPI_APPLICATION_ERROR',
        },
      },
    ]);
    expect(await messageOf(join('emil', 'bad", invitation: "yes"'))).to.equal('Not from there');
    expect(await server.database.db.collection('up_users').countDocuments()).to.equal(4);
  });

  it('Query.me: middlewares and policies, and those of fields below it', async () => {
    expect(await ask('{ me { username email } }', ann.jwt)).to.deep.equal({
      data: { me: { username: 'ann', email: 'ann at mail.test' } },
    });
    expect(log).to.deep.equal(['me: before', 'me: after']);
    expect(await messageOf('{ me { username } }', ben.jwt)).to.equal('Policy Failed');
    expect(await messageOf('{ me { username } }')).to.equal('Forbidden access');
  });

  it('auth: a scope closes a public mutation, and false opens one for users', async () => {
    expect(await messageOf('mutation { forgotPassword(email: "ann@mail.test") { ok } }')).to.equal('Forbidden access');
    const change = 'mutation { changePassword(currentPassword: "a", password: "b", passwordConfirmation: "b") { jwt } }';
    expect(await messageOf(change)).to.equal('Policy Failed');
  });

  const send = async (query: string, variables: object, path: string) => {
    const form = new FormData();
    form.append('operations', JSON.stringify({ query, variables }));
    form.append('map', JSON.stringify({ 0: [path] }));
    form.append('0', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    const response = await fetch(`${server.server.url}/graphql`, { method: 'POST', body: form });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  it('an upload without the right is answered in the form of GraphQL', async () => {
    const query = 'mutation ($files: [Upload]!) { multipleUpload(files: $files) { data { id } } }';
    const message = 'Forbidden access';
    const extensions = { error: { name: 'ForbiddenError', message, details: {} }, code: 'FORBIDDEN' };
    expect(await send(query, { files: [null] }, 'variables.files.0')).to.deep.equal({
      status: 200,
      body: { errors: [{ message, extensions }], data: null },
    });
  });

  it('mutations of files: auth, middlewares and policies', async () => {
    const upload = async (ref: string) => {
      const query = `mutation ($file: Upload!) { upload(file: $file, ref: "${ref}") { data { id attributes { name caption } } } }`;
      return (await send(query, { file: null }, 'variables.file')).body;
    };
    const { data } = await upload('');
    expect(data.upload.data.attributes).to.deep.equal({ name: 'a.txt', caption: null });
    expect(log).to.deep.equal(['upload: before', 'upload: after']);
    expect((await upload('api::note.note')).errors[0].message).to.equal('Policy Failed');
    const { id } = data.upload.data as { id: string };
    const caption = `mutation { updateFileInfo(id: ${id}, info: { caption: "mine" }) { data { attributes { caption } } } }`;
    expect((await ask(caption)).data.updateFileInfo.data.attributes).to.deep.equal({ caption: 'by a middleware' });
    log.length = 0;
    expect(await messageOf(`mutation { removeFile(id: ${id}) { data { id } } }`)).to.equal('Forbidden access');
    expect(log).to.deep.equal([]);
  });
});
