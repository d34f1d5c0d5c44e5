import { expect } from 'chai';
import { models } from '../../scripts/bench/models.js';
import { permissions } from '../../scripts/bench/permissions.js';
import { saveAccount, signToken } from '../../scripts/bench/save-account.js';
import { benchSecrets } from '../../scripts/bench/bench-secrets.js';
import { createConfig } from '#settings/create-config.js';
import { features } from '#features.js';
import { featureActions } from '#http/feature.js';
import { grantableActions } from '#http/running.js';
import { userTokens } from '#content/rights/user-tokens.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';

describe('the account of the benchmark', () => {
  let database: FreshDatabase;

  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('has 50 permissions, each of which the product knows', () => {
    const actions = featureActions(features, createConfig());
    const known = new Set(grantableActions({ actions }, buildRegistry(models).registry));
    expect(new Set(permissions).size).to.equal(50);
    expect(permissions.filter((action) => !known.has(action))).to.deep.equal([]);
  });

  it('takes the place of all users and roles, however often it is saved', async () => {
    const { db } = database;
    await db.collection('up_users').insertOne({ username: 'somebody else' });
    await saveAccount(db);
    await saveAccount(db);
    const [user, ...others] = await db.collection('up_users').find().toArray();
    const granted = await db.collection('up_permissions').find({ role: user?.['role'] }).toArray();
    const types = await db.collection('up_roles').distinct('type');
    expect(others).to.deep.equal([]);
    expect(granted.map(({ action }) => String(action))).to.have.members(permissions);
    expect(types).to.have.members(['authenticated', 'public', 'measured']);
  });

  it('is known by its token', async () => {
    await saveAccount(database.db);
    const claims = userTokens(benchSecrets.jwtSecret, '1d').verify(signToken());
    const user = await database.db
      .collection<{ readonly _id: number }>('up_users')
      .findOne({ _id: typeof claims === 'string' ? 0 : claims.id });
    expect(user).to.include({ username: 'measured', blocked: false, confirmed: true });
  });
});
