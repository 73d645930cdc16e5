CREATE TABLE public.likewise_events (
    number bigint NOT NULL,
    session bigint NOT NULL,
    reviewer text NOT NULL,
    action text NOT NULL,
    document text,
    label text,
    batch text,
    at double precision NOT NULL
);
CREATE SEQUENCE public.likewise_events_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.likewise_events_number_seq OWNED BY public.likewise_events.number;
CREATE TABLE public.likewise_meta (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.likewise_pages (
    number bigint NOT NULL,
    session bigint NOT NULL,
    reviewer text NOT NULL,
    method text NOT NULL,
    reason text NOT NULL,
    hits text NOT NULL,
    after bigint NOT NULL,
    pool bigint NOT NULL,
    at double precision NOT NULL
);
CREATE SEQUENCE public.likewise_pages_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.likewise_pages_number_seq OWNED BY public.likewise_pages.number;
CREATE TABLE public.likewise_queries (
    home text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    created double precision NOT NULL
);
CREATE TABLE public.likewise_sessions (
    number bigint NOT NULL,
    name text NOT NULL,
    identity text NOT NULL,
    path text NOT NULL,
    start text NOT NULL,
    settings text NOT NULL,
    created double precision NOT NULL
);
CREATE SEQUENCE public.likewise_sessions_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.likewise_sessions_number_seq OWNED BY public.likewise_sessions.number;
ALTER TABLE ONLY public.likewise_events ALTER COLUMN number SET DEFAULT nextval('public.likewise_events_number_seq'::regclass);
ALTER TABLE ONLY public.likewise_pages ALTER COLUMN number SET DEFAULT nextval('public.likewise_pages_number_seq'::regclass);
ALTER TABLE ONLY public.likewise_sessions ALTER COLUMN number SET DEFAULT nextval('public.likewise_sessions_number_seq'::regclass);
INSERT INTO public.likewise_events VALUES (1, 1, 'ann', 'judge', 'cats', 'relevant', 'be1330efb88f4579b94273471efaba7a', 1794793435.5881543);
INSERT INTO public.likewise_events VALUES (2, 1, 'ann', 'judge', 'large', 'not', 'be1330efb88f4579b94273471efaba7a', 1794793435.5881543);
INSERT INTO public.likewise_events VALUES (3, 1, 'bob', 'judge', 'cats', 'not', NULL, 1794793435.5959384);
INSERT INTO public.likewise_events VALUES (4, 1, 'ann', 'judge', 'late', 'unsure', NULL, 1794793435.602467);
INSERT INTO public.likewise_events VALUES (5, 1, 'ann', 'undo', NULL, NULL, NULL, 1794793435.60877);
INSERT INTO public.likewise_meta VALUES ('version', '1');
INSERT INTO public.likewise_pages VALUES (1, 1, 'ann', 'none', 'nothing has been judged yet', '[["cats",0.5773502691896258,"",1],["много",0.0,"",2],["large",0.0,"",3],["late",0.0,"",4]]', 0, 0, 1794793435.575704);
INSERT INTO public.likewise_queries VALUES ('specimen', 'q', '{"terms":["cat","sleep","day"],"weights":[0.5773502691896258,0.5773502691896258,0.5773502691896258],"weighting":"tfidf","learned":{"method":"centroid","reason":"it was asked for","examples":1,"unlike":0,"unlabeled":0,"objective":null,"gap":null,"tol":null,"converged":true,"passes":1,"seconds":0.0009489660005783662,"views":{"words":1.0},"notes":[]},"support":[["cats",1.0]],"exclude":["cats"],"latent":null,"embeddings":null,"format":1}', 1794793435.610943);
INSERT INTO public.likewise_sessions VALUES (1, 's', '', '/papers/specimen.idx', '{"words":"cats","examples":[],"unlike":[]}', '{"method":"auto","selection":null,"weighting":null,"seed":0,"page_size":10,"combine":"any","overlap":true}', 1794793435.5577502);
SELECT pg_catalog.setval('public.likewise_events_number_seq', 5, true);
SELECT pg_catalog.setval('public.likewise_pages_number_seq', 1, true);
SELECT pg_catalog.setval('public.likewise_sessions_number_seq', 1, true);
ALTER TABLE ONLY public.likewise_events
    ADD CONSTRAINT likewise_events_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.likewise_meta
    ADD CONSTRAINT likewise_meta_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.likewise_pages
    ADD CONSTRAINT likewise_pages_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.likewise_queries
    ADD CONSTRAINT likewise_queries_pkey PRIMARY KEY (home, name);
ALTER TABLE ONLY public.likewise_sessions
    ADD CONSTRAINT likewise_sessions_name_key UNIQUE (name);
ALTER TABLE ONLY public.likewise_sessions
    ADD CONSTRAINT likewise_sessions_pkey PRIMARY KEY (number);
CREATE INDEX likewise_events_by_session ON public.likewise_events USING btree (session, number);
CREATE INDEX likewise_pages_by_session ON public.likewise_pages USING btree (session, number);
ALTER TABLE ONLY public.likewise_events
    ADD CONSTRAINT likewise_events_session_fkey FOREIGN KEY (session) REFERENCES public.likewise_sessions(number) ON DELETE CASCADE;
ALTER TABLE ONLY public.likewise_pages
    ADD CONSTRAINT likewise_pages_session_fkey FOREIGN KEY (session) REFERENCES public.likewise_sessions(number) ON DELETE CASCADE;
