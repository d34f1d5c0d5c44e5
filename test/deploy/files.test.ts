import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { createConfig } from '#settings/create-config.js';
import { healthRoutes } from '#http/health.js';
import { packageRoot } from '#base/package-root.js';
import { compose, composeText, substituted } from './compose-file.js';
import { knownVariables, neededVariables } from './known-variables.js';

const folder = join(packageRoot, 'deploy/kubernetes');
const { server } = createConfig({ environment: 'production' });

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- manifests have many forms, and tests look into them
type Manifest = any;

const manifests: readonly Manifest[] = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as Manifest),
);
const ofKind = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind);

const hasProgram = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

describe('compose.yaml', () => {
  const services = Object.entries(compose.services);
  const instances = services.filter(([name]) => /^mangrove\d$/.test(name));

  it('runs two instances, three members and a proxy', () => {
    expect(services.map(([name]) => name)).to.have.members([
      ...['keyfile', 'mongo1', 'mongo2', 'mongo3', 'replica-set', 'mangrove1', 'mangrove2', 'proxy'],
    ]);
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).to.deep.equal(['proxy']);
  });

  for (const [name, { environment = {}, read_only: isReadOnly }] of instances)
    it(`sets variables of ${name} that exist, and those that are needed`, () => {
      expect(Object.keys(environment).filter((variable) => !knownVariables.has(variable))).to.deep.equal([]);
      expect(environment).to.include.all.keys(neededVariables);
      expect(isReadOnly).to.equal(true);
    });

  it('names services, volumes and files that exist', () => {
    for (const [, { depends_on: needed = [], volumes = [] }] of services) {
      const names = Array.isArray(needed) ? (needed as readonly string[]) : Object.keys(needed);
      expect(names.filter((name) => !(name in compose.services))).to.deep.equal([]);
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        expect(source.startsWith('.') ? existsSync(join(packageRoot, source)) : source in compose.volumes, source).to.equal(true);
    }
  });

  it('says at its top how to make each secret', () => {
    const made = /for name in ([\w ]+); do/.exec(composeText)?.[1]?.split(' ') ?? [];
    const demanded = [...composeText.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
    expect(made).to.include.members(demanded);
    expect(() => substituted(composeText, Object.fromEntries(made.map((name) => [name, 'x'])))).not.to.throw();
  });

  it('gives instances the time to stop', () => {
    for (const [, { environment = {}, stop_grace_period: time = '' }] of instances)
      expect(1_000 * Number.parseInt(time)).to.be.greaterThan(Number(environment['SHUTDOWN_DELAY']) + server.shutdownTimeout);
  });

  it('is accepted by docker compose', function () {
    if (!hasProgram('docker', 'compose', 'version')) this.skip();
    const secrets = [...composeText.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => [name, 'x']);
    const env = { ...process.env, ...(Object.fromEntries(secrets) as Record<string, string>) };
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '-q'], { cwd: packageRoot, env, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  });
});

describe('deploy/compose/Caddyfile', () => {
  const text = readFileSync(join(packageRoot, 'deploy/compose/Caddyfile'), 'utf8');

  it('leads to all instances, and asks whether they are ready', () => {
    const { environment = {} } = compose.services['proxy'] ?? {};
    const [, upstreams = ''] = /reverse_proxy ([^{]*)\{/.exec(text) ?? [];
    expect(upstreams.trim().split(' ')).to.deep.equal(['mangrove1', 'mangrove2'].map((name) => `${name}:${String(server.port)}`));
    expect(healthRoutes().map(({ path }) => path)).to.include(/health_uri (\S+)/.exec(text)?.[1]);
    expect(environment).to.have.property(/^\{\$(\w+)\}/.exec(text)?.[1] ?? 'a name');
  });
});

describe('deploy/kubernetes', () => {
  const pod = ofKind('Deployment').spec.template;
  const [container] = pod.spec.containers;
  const ports: readonly { readonly name: string; readonly containerPort: number }[] = container.ports;

  it('sets variables that exist, and those that are needed', () => {
    const secrets = Object.keys(ofKind('Secret').stringData);
    const set = container.env.map(({ name }: { readonly name: string }) => name) as string[];
    expect([...set, ...secrets].filter((variable) => !knownVariables.has(variable))).to.deep.equal([]);
    expect(secrets).to.include.members(neededVariables);
    expect(container.envFrom[0].secretRef.name).to.equal(ofKind('Secret').metadata.name);
  });

  it('asks routes that exist at ports that exist', () => {
    const paths = healthRoutes().map(({ path }) => path);
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      expect(paths).to.include(container[probe].httpGet.path);
      expect(ports.map(({ name }) => name)).to.include(container[probe].httpGet.port);
    }
    expect(container.livenessProbe.httpGet.path).to.equal('/_health');
    const numbers = Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(numbers).to.deep.equal({ http: server.port, metrics: Number(envOf('METRICS')) });
    expect(pod.metadata.annotations['prometheus.io/port']).to.equal(envOf('METRICS'));
    expect(ofKind('Service').spec.ports[0].targetPort).to.equal('http');
  });

  const envOf = (wanted: string): string =>
    container.env.find(({ name }: { readonly name: string }) => name === wanted)?.value as string;

  it('needs no rights, and writes to nothing but folders of the pod', () => {
    expect(pod.spec.securityContext).to.include({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).to.deep.equal({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
    const volumes = pod.spec.volumes.map(({ name }: { readonly name: string }) => name) as string[];
    expect(container.volumeMounts.map(({ name }: { readonly name: string }) => name)).to.have.members(volumes);
  });

  it('selects its pods, and keeps some while others are replaced', () => {
    const { labels } = pod.metadata;
    const [deployment, budget] = [ofKind('Deployment').spec, ofKind('PodDisruptionBudget').spec];
    for (const selected of [deployment.selector.matchLabels, budget.selector.matchLabels, ofKind('Service').spec.selector])
      expect(labels).to.deep.equal(selected);
    expect(deployment.strategy.rollingUpdate.maxUnavailable).to.equal(0);
    expect(budget.minAvailable).to.be.lessThan(deployment.replicas);
    const time = Number(envOf('SHUTDOWN_DELAY')) + server.shutdownTimeout;
    expect(1_000 * pod.spec.terminationGracePeriodSeconds).to.be.greaterThan(time);
  });

  it('lets the Ingress lead to the Service', () => {
    const [rule] = ofKind('Ingress').spec.rules;
    const { service } = rule.http.paths[0].backend;
    expect(service.name).to.equal(ofKind('Service').metadata.name);
    expect(service.port.name).to.equal(ofKind('Service').spec.ports[0].name);
    expect(envOf('PUBLIC_URL')).to.equal(`https://${String(rule.host)}`);
  });

  it('is read by kubectl', function () {
    if (!hasProgram('kubectl', 'version', '--client')) this.skip();
    const copy = mkdtempSync(join(tmpdir(), 'mangrove-kubernetes-'));
    cpSync(folder, copy, { recursive: true });
    cpSync(join(copy, 'secret.example.yaml'), join(copy, 'secret.yaml'));
    const built = spawnSync('kubectl', ['kustomize', copy], { encoding: 'utf8' });
    // it reads the file with the types of Kubernetes, and asks no server
    const read = spawnSync('kubectl', ['set', 'env', '--local', '--list', '-f', join(copy, 'deployment.yaml')], {
      encoding: 'utf8',
    });
    rmSync(copy, { recursive: true });
    expect(built.status, built.stderr).to.equal(0);
    expect(read.status, read.stderr).to.equal(0);
    expect(read.stdout).to.include('TRUST_PROXY=true');
  });
});
