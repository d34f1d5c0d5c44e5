import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useInfiniteQuery } from 'react-query';
import {
  Box,
  Button,
  ContentLayout,
  HeaderLayout,
  Main,
  Table,
  Tbody,
  Td,
  Th,
  Thead,
  Tr,
  Typography,
} from '@strapi/design-system';
import { CheckPagePermissions, Link, useFetchClient } from '@strapi/helper-plugin';
import { File } from '@strapi/icons';
import { authorName } from '../authors.js';
import { label } from '../texts.js';
import { AuditFilters } from './filters.jsx';

const permissions = [{ action: 'plugin::mangrove.audit', subject: null }];

/** The page with the writes of entries. */
export const audit = {
  name: 'audit',
  links: [
    {
      to: '/plugins/mangrove-audit',
      icon: File,
      intlLabel: label('audit.title'),
      permissions,
      Component: async () => ({ default: AuditPage }),
    },
  ],
};

/** Changes that are read at once. */
const pageSize = 50;

/** The largest `start` that the service takes. */
const mostSkipped = 10_000;

function AuditPage() {
  return (
    <CheckPagePermissions permissions={permissions}>
      <Audit />
    </CheckPagePermissions>
  );
}

function Audit() {
  const { formatMessage } = useIntl();
  const [filters, setFilters] = useState({});
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useChanges(filters);
  const rows = data?.pages.flat() ?? [];
  return (
    <Main aria-busy={isFetching}>
      <HeaderLayout title={formatMessage(label('audit.title'))} subtitle={formatMessage(label('audit.subtitle'))} />
      <ContentLayout>
        <AuditFilters filters={filters} onChange={setFilters} />
        <Box paddingTop={4} paddingBottom={4} style={{ overflowX: 'auto' }}>
          {error === null ? <Changes rows={rows} /> : <Typography textColor="danger600">{messageOf(error)}</Typography>}
        </Box>
        {rows.length === 0 && !isFetching && error === null && <Typography>{formatMessage(label('audit.none'))}</Typography>}
        {hasNextPage && (
          <Button variant="secondary" onClick={() => fetchNextPage()} loading={isFetching}>
            {formatMessage(label('audit.more'))}
          </Button>
        )}
      </ContentLayout>
    </Main>
  );
}

const messageOf = (error) => error.response?.data?.error?.message ?? String(error);

/** Returns the changes that meet the filters, page by page. */
function useChanges(filters) {
  const { get } = useFetchClient();
  const params = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
  return useInfiniteQuery(
    ['mangrove-audit', params],
    async ({ pageParam: start = 0 }) =>
      (await get('/admin/api/audit/content', { params: { ...params, start, limit: pageSize } })).data.data,
    {
      retry: false,
      enabled: params.id === undefined || params.uid !== undefined, // an id is one of a type
      getNextPageParam: (last, { length }) =>
        last.length < pageSize || length * pageSize > mostSkipped ? undefined : length * pageSize,
    },
  );
}

function Changes({ rows }) {
  const { formatMessage, formatDate } = useIntl();
  const columns = ['at', 'action', 'entry', 'by'];
  return (
    <Table colCount={columns.length} rowCount={rows.length + 1}>
      <Thead>
        <Tr>
          {columns.map((name) => (
            <Th key={name}>
              <Typography variant="sigma">{formatMessage(label(`audit.${name}`))}</Typography>
            </Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {rows.map(({ at, action, uid, id, by, client }, index) => (
          <Tr key={index}>
            <Td>
              <Typography>{formatDate(at, { dateStyle: 'medium', timeStyle: 'medium' })}</Typography>
            </Td>
            <Td>
              <Typography>{formatMessage(label(`actions.${action}`))}</Typography>
            </Td>
            <Td>
              <Entry uid={uid} id={id} isThere={action !== 'delete'} />
            </Td>
            <Td>
              <Typography>{[authorName(by, formatMessage), client].filter(Boolean).join(', ')}</Typography>
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

/** The entry of a change, with a link to its form if it is content. */
const Entry = ({ uid, id, isThere }) =>
  isThere && uid.startsWith('api::') ? (
    <Link to={`/content-manager/collection-types/${uid}/${id}`}>{`${uid} ${id}`}</Link>
  ) : (
    <Typography>{`${uid} ${id}`}</Typography>
  );
