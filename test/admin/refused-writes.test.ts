import { expect } from 'chai';
import { linkTo, type TcpLink } from '../../scripts/prove/faults/tcp-link.js';
import { ApplicationError, NotFoundError } from '#base/errors.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType } from '../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const uid = 'api::story.story';
const stories = `/content-manager/collection-types/${uid}`;
/** A type without code around its writes. */
const plain = 'api::plain.plain';
const plains = `/content-manager/collection-types/${plain}`;
const own = ['create', 'read', 'update', 'delete'] as const;
const editor = [
  [uid, plain].flatMap((subject) =>
    own.map((action) => ({
      action,
      subject,
      ...(action !== 'delete' && { fields: ['title'] }),
      ...(action !== 'create' && { conditions: ['admin::is-creator'] }),
    })),
  ),
];

describe('an error of a write in the panel', () => {
  let fresh: FreshDatabase;
  let link: TcpLink;
  let serving: ServedProject;
  let send: PanelSender;
  /** The code of the project in the next write, by the name of its lifecycle. */
  let code: Readonly<Record<string, (id: number) => unknown>> = {};

  before(async () => {
    fresh = await freshDatabase();
    link = await linkTo(fresh.client.options.hosts[0]?.port ?? 0);
    const uri = `mongodb://127.0.0.1:${String(link.port)}/${fresh.name}?directConnection=true`;
    const models = ['story', 'plain'].map((name) => collectionType(name, { title: { type: 'string' } }));
    serving = await serveProject({}, { models, database: fresh, config: { database: { uri } } });
    send = await openAdministrators(serving, { editor });
    const run =
      (name: string) =>
      ({ params }: { params: { where: { id: number } } }) =>
        code[name]?.(params.where.id);
    const names = ['beforeDelete', 'afterDelete', 'afterUpdate'];
    serving.strapi.db.lifecycles.subscribe({ models: [uid], ...Object.fromEntries(names.map((name) => [name, run(name)])) });
  });
  afterEach(() => (code = {}));
  after(async () => {
    await serving.stop();
    await link.close();
    await fresh.drop();
  });

  const rows = () => fresh.db.collection<{ _id: number }>('storys');
  const create = async (): Promise<number> => Number((await send('editor', 'POST', stories, { title: 'a' })).body.id);
  const fail = (error: Error) => (): never => {
    throw error;
  };

  it('after an entry was deleted is that of the code', async () => {
    const id = await create();
    code = { afterDelete: fail(new ApplicationError('late')) };
    const { status, body } = await send('editor', 'DELETE', `${stories}/${String(id)}`);
    expect([status, body.error?.message, await rows().countDocuments({ _id: id })]).to.deep.equal([400, 'late', 0]);
  });

  it('after an entry was moved out of the rights is that of the code', async () => {
    const id = await create();
    const moveAndFail = async (_id: number): Promise<void> => {
      await rows().updateOne({ _id }, { $set: { createdBy: 999 } });
      throw new ApplicationError('late');
    };
    code = { afterUpdate: moveAndFail };
    const { status, body } = await send('editor', 'PUT', `${stories}/${String(id)}`, { title: 'b' });
    expect([status, body.error?.message]).to.deep.equal([400, 'late']);
  });

  it('says that an entry may be deleted if the reply is lost', async () => {
    const { id } = (await send('editor', 'POST', plains, { title: 'a' })).body;
    link.loseReply('remove');
    const { status, body } = await send('editor', 'DELETE', `${plains}/${String(id)}`);
    const count = await fresh.db.collection('plains').countDocuments();
    expect([status, body.error?.details.code, count]).to.deep.equal([503, 'OUTCOME_UNKNOWN', 0]);
  });

  it('before the delete of one of several entries undoes the others', async () => {
    const ids = [await create(), await create()];
    code = { beforeDelete: (id) => id === ids[1] && fail(new NotFoundError('not in the other system'))() };
    const { status, body } = await send('editor', 'POST', `${stories}/actions/bulkDelete`, { ids });
    const count = await rows().countDocuments({ _id: { $in: ids } });
    expect([status, body.error?.message, count]).to.deep.equal([404, 'not in the other system', 2]);
  });

  it('comes after those of the rights, if nothing was written', async () => {
    const { id } = (await send('super', 'POST', stories, { title: 'a' })).body;
    const path = (one: unknown): string => `${stories}/${String(one)}`;
    const answers = await Promise.all(
      [id, 999].map((one) => send('editor', 'PUT', path(one), { title: { not: 'a text' } }).then(({ status }) => status)),
    );
    expect(answers).to.deep.equal([403, 404]);
  });
});
