import { nearestName } from '#base/nearest-name.js';
import { providerPackage } from '#base/provider-packages.js';
import { uploadProviders } from './upload-settings.js';
import { valuesOf, type Translation } from './translation.js';
import type { Values } from '#base/values.js';

/**
 * Returns the short name of a provider package: `aws-s3` for `@strapi/provider-upload-aws-s3`, `ts-minio` for
 * `strapi-provider-upload-ts-minio`.
 */
const shortName = (name: string): string => name.replace(/^.*provider-(upload|email)-/, '');

/**
 * Translates Strapi's `plugins.upload.config`. A provider without a storage in its place sends new files to its service if the project has
 * installed it.
 */
export function uploadProvider(value: unknown, directory: string): Translation {
  const { provider, providerOptions, actionOptions, security, ...rest } = valuesOf(value);
  const { allowedTypes, deniedTypes } = valuesOf(security);
  const set = { ...prefixed('plugins.upload.config', rest), ...types({ allowedTypes, deniedTypes }) };
  if (provider === undefined || uploadProviders.some((name) => name === provider))
    return { set: { ...set, ...prefixed('plugins.upload.config', { provider, providerOptions }) } };
  const name = String(provider);
  const { set: found = {}, advice } =
    storageFor(shortName(name), valuesOf(providerOptions)) ?? hostFor(name, { providerOptions, actionOptions }, directory);
  return { set: { ...set, ...found }, advice };
}

const prefixed = (path: string, values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${path}.${key}`, value]));

const types = (lists: Values): Values =>
  prefixed('plugins.upload.config', Object.fromEntries(Object.entries(lists).filter(([, list]) => Array.isArray(list))));

const inWords = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Names of providers whose service also answers requests in the form of S3. */
const likeS3 =
  /s3|minio|spaces|digitalocean|^do$|r2|wasabi|scaleway|backblaze|ceph|linode|vultr|google-cloud|gcs|supabase|aliyun|oss|tencent|cos$/i;

/** Returns the translation of a provider that a storage stands for; null if none does. */
function storageFor(name: string, options: Values): Translation | null {
  if (name === 'local') return localStorage(options);
  return name === 'aws-s3' ? s3Storage(options) : null;
}

/** Translates any other provider. `options` are those of the provider and of its functions. */
function hostFor(provider: string, options: Values, directory: string): Translation {
  if (providerPackage('upload', provider, directory) !== null)
    return { set: prefixed('plugins.upload.config.host', { provider, ...options }) };
  const name = shortName(provider);
  const near = likeS3.test(name) ? 's3' : nearestName(name, uploadProviders);
  const instead = near ?? inWords.format(uploadProviders);
  return {
    advice: `the upload provider ${name} is not installed; stored files keep their addresses, and new files go into MongoDB unless it is, or plugins.upload.config.provider is ${instead}`,
  };
}

/** Translates the options of Strapi's local provider, which stores files in public/uploads. */
function localStorage({ localServer, sizeLimit }: Values): Translation {
  const maxAge = valuesOf(localServer)['maxage'];
  return {
    set: {
      'plugins.upload.config.provider': 'disk',
      'plugins.upload.config.providerOptions': { folder: 'public/uploads' },
      'plugins.upload.config.maxAge': typeof maxAge === 'number' ? Math.floor(maxAge / 1000) : undefined,
      ...(sizeLimit !== undefined && { 'plugins.upload.config.sizeLimit': sizeLimit }),
    },
  };
}

/** Translates the options of the AWS client, version 2 or 3, and of the provider, which are mixed. */
function s3Storage({ baseUrl, rootPath, s3Options, ...flat }: Values): Translation {
  const options = without({ ...flat, ...valuesOf(s3Options) }, 'signatureVersion');
  const { params, accessKeyId, secretAccessKey, s3ForcePathStyle, ...client } = options;
  const bucket = valuesOf(params)['Bucket'];
  if (typeof bucket !== 'string' || bucket === '')
    return { advice: 'aws-s3 needs a bucket (params.Bucket); without one new files go into MongoDB' };
  const credentials = typeof accessKeyId === 'string' ? { credentials: { accessKeyId, secretAccessKey } } : {};
  const forcePathStyle = s3ForcePathStyle === undefined ? {} : { forcePathStyle: s3ForcePathStyle };
  const prefix = typeof rootPath === 'string' && rootPath !== '' ? { prefix: rootPath } : {};
  return {
    set: {
      'plugins.upload.config.provider': 's3',
      'plugins.upload.config.providerOptions': { bucket, ...prefix, ...credentials, ...forcePathStyle, ...withoutNulls(client) },
    },
    advice: typeof baseUrl === 'string' && baseUrl !== '' ? cdnAdvice : undefined,
  };
}

const cdnAdvice =
  'files are served by Mangrove under /uploads; if providerOptions.baseUrl is a CDN in front of it, set plugins.upload.config.baseUrl';

/** Translates Strapi's `plugins.email.config` to options of nodemailer. A provider without a translation is run if the project has it. */
export function emailProvider(value: unknown, directory: string): Translation {
  const { provider, providerOptions, settings, ...rest } = valuesOf(value);
  const { testAddress, ...senders } = valuesOf(settings);
  const set = {
    ...prefixed('plugins.email.config', { ...rest, ...(testAddress !== undefined && { testAddress }) }),
    ...prefixed('plugins.email.config.settings', withoutNulls(senders)),
  };
  const written = typeof provider === 'string' ? provider : 'nodemailer';
  const name = shortName(written);
  const transport = Object.hasOwn(transports, name) ? transports[name] : undefined;
  const installed = transport === undefined ? providerPackage('email', written, directory) : null;
  if (installed !== null)
    return { set: { ...set, ...prefixed('plugins.email.config', { provider: installed, providerOptions }) } };
  if (transport === undefined)
    return {
      set,
      advice: `there is no e-mail provider ${name}; give its SMTP server: provider 'nodemailer' with providerOptions ${smtpOptions(name)}`,
    };
  const { options, advice } = transport(valuesOf(providerOptions));
  return {
    set: { ...set, 'plugins.email.config.provider': 'nodemailer', 'plugins.email.config.providerOptions': options },
    advice,
  };
}

const without = (values: Values, name: string): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));

const withoutNulls = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

/** The SMTP servers of providers without a translation, with the user and the password there, by a part of the provider's name. */
const smtpServers: readonly (readonly [name: RegExp, host: string, user: string, pass: string])[] = [
  [/ses/, 'email-smtp.<region>.amazonaws.com', '<SMTP user of SES>', '<SMTP password of SES>'],
  [/brevo|sendinblue/, 'smtp-relay.brevo.com', '<login>', '<SMTP key>'],
  [/mailjet/, 'in-v3.mailjet.com', '<API key>', '<secret key>'],
  [/mailersend/, 'smtp.mailersend.net', '<SMTP user>', '<SMTP password>'],
  [/mandrill|mailchimp/, 'smtp.mandrillapp.com', '<any name>', '<API key>'],
  [/postmark/, 'smtp.postmarkapp.com', '<server token>', '<server token>'],
  [/resend/, 'smtp.resend.com', 'resend', '<API key>'],
  [/sparkpost/, 'smtp.sparkpostmail.com', 'SMTP_Injection', '<API key>'],
];

/** Returns the options of nodemailer for a provider, as text. */
function smtpOptions(name: string): string {
  const [, host, user, pass] = smtpServers.find(([pattern]) => pattern.test(name)) ?? [null, '<host>', '<user>', '<password>'];
  return `{ host: '${host}', port: 587, auth: { user: '${user}', pass: '${pass}' } }`;
}

interface Transport {
  readonly options: Values;
  readonly advice?: string;
}

/**
 * Functions that translate the options of an e-mail provider to options of nodemailer. Without its required options, a provider
 * sends nothing.
 */
const transports: Readonly<Record<string, (options: Values) => Transport>> = {
  nodemailer: (options) => ({ options: withoutNulls(options) }),
  sendmail: () => ({ options: { sendmail: true } }),
  mailgun: ({ domain, url, password, key }) => {
    const host = String(url ?? '').includes('.eu.') ? 'smtp.eu.mailgun.org' : 'smtp.mailgun.org';
    if (!domain || !(password ?? key)) return { options: {}, advice: 'mailgun needs providerOptions.domain and password' };
    const auth = { user: `postmaster@${String(domain)}`, pass: password ?? key };
    const advice = 'mailgun sends by SMTP: set providerOptions.password to the SMTP password of postmaster@<domain>';
    return { options: { host, port: 587, auth }, ...(password === undefined && { advice }) };
  },
  sendgrid: ({ apiKey }) =>
    apiKey
      ? { options: { host: 'smtp.sendgrid.net', port: 587, auth: { user: 'apikey', pass: apiKey } } }
      : { options: {}, advice: 'sendgrid needs providerOptions.apiKey' },
};
