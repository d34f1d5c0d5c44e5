import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useInfiniteQuery } from 'react-query';
import { useHistory } from 'react-router-dom';
import {
  Box,
  Button,
  ContentLayout,
  HeaderLayout,
  Main,
  ModalBody,
  ModalFooter,
  ModalHeader,
  ModalLayout,
  Table,
  Tbody,
  Td,
  Th,
  Thead,
  Tr,
  Typography,
} from '@strapi/design-system';
import { Link, useFetchClient } from '@strapi/helper-plugin';
import { Plus } from '@strapi/icons';
import { label } from '../texts.js';
import { ReleaseForm } from './release-form.jsx';
import { api, page, timeText } from './release-texts.js';
import { useChange } from './use-change.js';

/** Releases that are read at once. */
const pageSize = 25;

/** The list of releases, the newest first. */
export function ReleaseList() {
  const { formatMessage } = useIntl();
  const { get } = useFetchClient();
  const [isMaking, setIsMaking] = useState(false);
  const { data, hasNextPage, fetchNextPage, isFetching, isSuccess } = useInfiniteQuery(
    [api, 'list'],
    async ({ pageParam: start = 0 }) => (await get(api, { params: { start, limit: pageSize } })).data.data,
    { getNextPageParam: (last, { length }) => (last.length < pageSize ? undefined : length * pageSize) },
  );
  const rows = data?.pages.flat() ?? [];
  return (
    <Main aria-busy={isFetching}>
      <HeaderLayout
        title={formatMessage(label('release.title'))}
        subtitle={formatMessage(label('release.subtitle'))}
        primaryAction={
          <Button startIcon={<Plus />} onClick={() => setIsMaking(true)}>
            {formatMessage(label('release.make'))}
          </Button>
        }
      />
      <ContentLayout>
        {rows.length > 0 && <Rows rows={rows} />}
        {isSuccess && rows.length === 0 && <Typography>{formatMessage(label('release.none'))}</Typography>}
        {hasNextPage && (
          <Box paddingTop={4}>
            <Button variant="secondary" onClick={() => fetchNextPage()} loading={isFetching}>
              {formatMessage(label('release.more'))}
            </Button>
          </Box>
        )}
      </ContentLayout>
      {isMaking && <NewRelease onClose={() => setIsMaking(false)} />}
    </Main>
  );
}

function Rows({ rows }) {
  const intl = useIntl();
  const columns = ['name', 'time', 'count'];
  return (
    <Box style={{ overflowX: 'auto' }}>
      <Table colCount={columns.length} rowCount={rows.length + 1}>
        <Thead>
          <Tr>
            {columns.map((name) => (
              <Th key={name}>
                <Typography variant="sigma">{intl.formatMessage(label(`release.${name}`))}</Typography>
              </Th>
            ))}
          </Tr>
        </Thead>
        <Tbody>
          {rows.map((release) => (
            <Tr key={release.id}>
              <Td>
                <Link to={`${page}/${release.id}`}>{release.name}</Link>
              </Td>
              <Td>
                <Typography textColor={release.failedAt === null ? 'neutral800' : 'danger600'}>
                  {timeText(release, intl)}
                </Typography>
              </Td>
              <Td>
                <Typography>{release.count}</Typography>
              </Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </Box>
  );
}

function NewRelease({ onClose }) {
  const { formatMessage } = useIntl();
  const { post } = useFetchClient();
  const { push } = useHistory();
  const { change, isSending } = useChange();
  const [values, setValues] = useState({ name: '', at: null });
  const make = async () => {
    const made = await change(() => post(api, values));
    if (made !== null) push(`${page}/${made.id}`);
  };
  return (
    <ModalLayout onClose={onClose} labelledBy="mangrove-release">
      <ModalHeader>
        <Typography fontWeight="bold" as="h2" id="mangrove-release">
          {formatMessage(label('release.make'))}
        </Typography>
      </ModalHeader>
      <ModalBody>
        <ReleaseForm values={values} onChange={setValues} />
      </ModalBody>
      <ModalFooter
        startActions={
          <Button variant="tertiary" onClick={onClose}>
            {formatMessage(label('release.cancel'))}
          </Button>
        }
        endActions={
          <Button onClick={make} loading={isSending} disabled={values.name.trim() === ''}>
            {formatMessage(label('release.save'))}
          </Button>
        }
      />
    </ModalLayout>
  );
}
