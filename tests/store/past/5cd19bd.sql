-- migration 0001 of 21 November, by the code of commit 5cd19bd; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s INTEGER NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-23fe65b4',1700000085,'main',36.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-1fabcca9',1700000085,'main',36.0);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	at_s FLOAT NOT NULL, 
	last_at_s FLOAT NOT NULL, 
	ticks INTEGER NOT NULL, 
	policy VARCHAR(64) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	from_group TEXT, 
	to_group TEXT, 
	"plan" TEXT NOT NULL, 
	snapshot BLOB NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-23fe65b4',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[]}',X'789CBD55DB6EDB300CFD173DA7819BA4599B5F290681B6655B9D2C79BA244D8BFEFB0EE54B9A0D43B10E5B9E228A3A240F0FE95761DD490671B8FD528CBFCDBA588927578AC3ABD0B538F0FF9BCDB651FBBB722756220CAAE23B4BBDC2ADB2B5AA61AE5CDF9385FFA3889EB45D0F67F17585EB239CDF56E2E4FC37E3080E3619B312DD79507E200F94A87C189DACAB5590BDB6C86739D1F3781ABCAB241E49B667536B5C49469614AB6EC6D540A3A89DE59AB89E9570E593AAA23E2A4E1B70BAD72F9CFAC535C3D6CE18F228A556541B6D15D3328296A96E5594292CE903868FF961E7929FED47324949D7C8A87B75F118AFA70A6544EDC07E043F150D54E978463A64CF083E38A32B3E962A4499E1606DF4B3AAE5F2788E36741432D2D28E1ED4C33FD9A88D5C0A9CC2235ECDBD91ADA72A97B72DD6C5DB8483D73E59AB6DCB5D4E65AF6344508A57F228581E47742CC36EDE112E0E3B663B771F2072069D526A600DDD02381600F570BC99541502B56A212B9207EDF36D95BC57763966758C245E91BA50615C4566FD3D914786ACD0218943B1DEDC71A0DEF9B36C35549EF5DE0E49562E31FA74EA8169E64C7EC2ECC83417C0BFC76B609CF16EF9F91FE28182C1EB6A2A9F8716C3E19A46F94CEEAB78279C5F69B928D0D99B5AE5295E891767176F815EBC933224C024429BBA968D777D16C8FE01BFFD6E14882B83F2C7DFA827605E2A068F903842A9676826C8EB084C1257B2F9A892B9199F2963F7DFCAD87E54C6AC81CF94F1F0CFAB80C280A1E7810B278D95BBECB08E6CBB5C0D98D17153E26101211AECDB18C6DDEB5BDEEDC5FA963F18CED4EE6439A5FD984BF41AEBFCA42DECB0DECF164E2674E4D5346E637839500A4A42F9CE33C81D4394CEC58B69CB26C69373A46D0E94A785BF2C12EB86CDF733576118DF5F5F6FA704F165D27DEA65A98D019F616A31D62D1D491B2A8D6216DE7E0032556E6C');
INSERT INTO "decisions" VALUES(2,'job-1fabcca9',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[]}',X'789CBD55DB72DB2010FD179E1D8F7C499AF857321D668590448A8072B1E364F2EFDD0521C7ED74324DA7F59359E0EC9EC3D9D52B33F6C4033B6CBE34E5B75D372BF6645B767865AA6307FA7FB3E9A115021ED88A052705ED199824EE460FCA2833E08EB0D30406AF3C96E8DA9DD9D71593E688E7DF56EC64FD376D010F98A4F58A8D6727BD038F4051FA500E19DBC9C02765B0A46505CF65E5BC151C2F718AE7D0A06D0B9AB710C5587115A24154D6102DA2B462B67D9222AAA3A4CA114E4DEA85AABF1CCDB09DD51A3C52E924745A1949CA14D03675838C3C85A57C84A165BE38DAE46BFC083A496E7B1ED5242F27CAF6CC9047E48ED88FA88F000742C5339603E68CC99DD54AD0B29521F20C87D15E3DCB8E2F976B363742C848CB8B4C283D9E4F262ACD1782737ACCD7D1DBF0C183C8F476CDBA799B71F0B64F667ECE90DA49C58849215E39A421871CF1C532ECF69DE0ECB027B5AB2778059D4BEA311AC605B01090A6A37C555419020C72112B8247D9EBAE48DE4BB32CB33B8A8857A22E52682B40AFBF27F0582139D4257668D6DB5B4A34597FE68342A367CB0F2E716113A1CFAB093175ADE427CC11747F01FC7BBC1E83156F43D7FF100F25705E89993EF52D3687ED7BE9B3B8AFEC9D717E95E5E2406B6E3A99BB78C55EAC594E337C8B7756460B9088E84DD5F1DEDB291BE4EE017F77FB6210DB06E98FBF714FC07E11797CA0C531957C46CF047E9D81442226DB8F98D4C7F80C8DFD7FA3B1FB8846F5C067683CFC7316E830C450B5E1C249E1C85D66D8086658B61CF668999478B141236A9CB73194D9EB079AEDCD7A431F0CAB3B7B3254D25DA9257A85E3FCA40CC6317A5F23544C18C1CBB9DD4A7AEE2005C9D1F9D613C82D41B4D6C64B684721C2E335D32E27CADD425F168EE386C2F755ABE0CAFDEBEDDD5C207E99D49426DE2AAD51CF303F318E5B3882D2D06A492ABCFD00E4027051');
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at_s FLOAT NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1700000300.0,NULL,NULL,'price','local.half on-demand local: $0.36/h is now $0.72/h','{"before_usd_per_h": 0.36, "usd_per_h": 0.72}');
INSERT INTO "events" VALUES(2,1700000000.0,'job-23fe65b4',NULL,'job_submitted','job ended submitted','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-23fe65b4',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-23fe65b4',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-23fe65b4','node-868274a0','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-23fe65b4','node-868274a0','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-23fe65b4','node-d4a5c226','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-23fe65b4','node-d4a5c226','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-23fe65b4',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-23fe65b4',NULL,'decision','start: start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-23fe65b4',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-23fe65b4','node-868274a0','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-23fe65b4','node-868274a0','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-23fe65b4','node-d4a5c226','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-23fe65b4','node-d4a5c226','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-23fe65b4',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-23fe65b4',NULL,'job_phase','job ended is cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-1fabcca9',NULL,'job_submitted','job training submitted','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-1fabcca9',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-1fabcca9',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-1fabcca9','node-3d38dd28','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-1fabcca9','node-3d38dd28','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-1fabcca9','node-380f4575','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-1fabcca9','node-380f4575','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-1fabcca9',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-1fabcca9',NULL,'decision','start: start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-1fabcca9',NULL,'note','a note of training','{}');
CREATE TABLE generations (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	node_ids TEXT NOT NULL, 
	members TEXT NOT NULL, 
	rdzv_endpoint VARCHAR(128) NOT NULL, 
	started_at_s FLOAT NOT NULL, 
	drain_at_s FLOAT, 
	ended_at_s FLOAT, 
	first_step_at_s FLOAT, 
	last_step_at_s FLOAT, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-23fe65b4',1,'["node-868274a0", "node-d4a5c226"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5);
INSERT INTO "generations" VALUES('job-1fabcca9',1,'["node-3d38dd28", "node-380f4575"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind UNIQUE (token, kind)
);
INSERT INTO "intents" VALUES(1,'6954ca1d1b5b5664371c6506e347e675','launch','node-868274a0','h',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'b773e7bd30f6f3e575d06c53f387905c','launch','node-d4a5c226','h',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'6954ca1d1b5b5664371c6506e347e675','terminate','node-868274a0','6954ca1d1b5b5664371c6506e347e675',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'b773e7bd30f6f3e575d06c53f387905c','terminate','node-d4a5c226','b773e7bd30f6f3e575d06c53f387905c',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'b1eee197b5b0b1b28966b25c76573d37','launch','node-3d38dd28','h',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'e6ae74903d9f232df734740151dd3ff9','launch','node-380f4575','h',1700000001.0,1700000005.0,'launched');
CREATE TABLE jobs (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration INTEGER NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	failures INTEGER NOT NULL, 
	failed_iteration INTEGER NOT NULL, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-23fe65b4','ended','{"name":"ended","command":["train.py"],"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nproc_per_node":1,"global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0}','cancelled',1700000000.0,4,400,1,'main',1700000620.0,'cancelled','asked',NULL,0,-1,'ended','ended');
INSERT INTO "jobs" VALUES(2,'job-1fabcca9','training','{"name":"training","command":["train.py"],"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nproc_per_node":1,"global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0}','running',1700000000.0,2,400,1,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',0,-1,'training','training');
CREATE TABLE ledger (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	price_id INTEGER NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	from_s FLOAT NOT NULL, 
	to_s FLOAT, 
	minimum_s FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (id), 
	CONSTRAINT fk_ledger_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_ledger_node_id FOREIGN KEY(node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_ledger_price_id FOREIGN KEY(price_id) REFERENCES prices (id)
);
INSERT INTO "ledger" VALUES(1,'job-23fe65b4','node-868274a0','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-23fe65b4','node-868274a0','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-23fe65b4','node-d4a5c226','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-23fe65b4','node-d4a5c226','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-1fabcca9','node-3d38dd28','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-1fabcca9','node-3d38dd28','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-1fabcca9','node-380f4575','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-1fabcca9','node-380f4575','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE nodes (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	intended_at_s FLOAT NOT NULL, 
	provider_id VARCHAR(128), 
	launched_at_s FLOAT, 
	joined_at_s FLOAT, 
	heartbeat_at_s FLOAT, 
	terminated_at_s FLOAT, 
	agent_state VARCHAR(16), 
	agent_generation INTEGER, 
	exit TEXT, 
	acked_seq INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id), 
	CONSTRAINT uq_nodes_token UNIQUE (token)
);
INSERT INTO "nodes" VALUES(1,'node-868274a0','job-23fe65b4','local.half','on-demand','local','terminated','6954ca1d1b5b5664371c6506e347e675',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,60.0,NULL,0);
INSERT INTO "nodes" VALUES(2,'node-d4a5c226','job-23fe65b4','local.half','on-demand','local','terminated','b773e7bd30f6f3e575d06c53f387905c',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,60.0,NULL,0);
INSERT INTO "nodes" VALUES(3,'node-3d38dd28','job-1fabcca9','local.half','on-demand','local','joined','b1eee197b5b0b1b28966b25c76573d37',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,60.0,NULL,0);
INSERT INTO "nodes" VALUES(4,'node-380f4575','job-1fabcca9','local.half','on-demand','local','joined','e6ae74903d9f232df734740151dd3ff9',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,60.0,NULL,0);
CREATE TABLE prices (
	id INTEGER NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_prices PRIMARY KEY (id)
);
INSERT INTO "prices" VALUES(1,'local.half','on-demand','local',0.36,0.0,1699999900.0,1699999900.0,'test');
INSERT INTO "prices" VALUES(2,'local.half','on-demand','local',0.72,0.0,1700000300.0,1700000300.0,'test');
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-23fe65b4','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
INSERT INTO "series" VALUES(2,'job-1fabcca9','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration INTEGER, 
	iterations INTEGER NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-23fe65b4','node-868274a0',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-23fe65b4','node-868274a0',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-23fe65b4','node-868274a0',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-23fe65b4','node-868274a0',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-23fe65b4','node-868274a0',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-23fe65b4','node-868274a0',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-23fe65b4','node-868274a0',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-23fe65b4','node-868274a0',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-23fe65b4','node-868274a0',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-23fe65b4','node-868274a0',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-23fe65b4','node-868274a0',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-23fe65b4','node-868274a0',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-23fe65b4','node-868274a0',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-23fe65b4','node-868274a0',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-23fe65b4','node-868274a0',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-23fe65b4','node-868274a0',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-23fe65b4','node-868274a0',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-23fe65b4','node-868274a0',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-23fe65b4','node-868274a0',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-23fe65b4','node-868274a0',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-23fe65b4','node-868274a0',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-23fe65b4','node-868274a0',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-23fe65b4','node-868274a0',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-23fe65b4','node-868274a0',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-23fe65b4','node-868274a0',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-23fe65b4','node-868274a0',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-23fe65b4','node-868274a0',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-23fe65b4','node-868274a0',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-23fe65b4','node-868274a0',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-23fe65b4','node-868274a0',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-23fe65b4','node-868274a0',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-23fe65b4','node-868274a0',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-23fe65b4','node-868274a0',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-23fe65b4','node-868274a0',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-23fe65b4','node-868274a0',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-23fe65b4','node-868274a0',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-23fe65b4','node-868274a0',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-23fe65b4','node-868274a0',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-23fe65b4','node-868274a0',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-23fe65b4','node-868274a0',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-23fe65b4','node-868274a0',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-23fe65b4','node-868274a0',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-23fe65b4','node-868274a0',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-23fe65b4','node-868274a0',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-23fe65b4','node-868274a0',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-23fe65b4','node-868274a0',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-23fe65b4','node-868274a0',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-23fe65b4','node-868274a0',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-23fe65b4','node-868274a0',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-23fe65b4','node-868274a0',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-23fe65b4','node-868274a0',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-23fe65b4','node-868274a0',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-23fe65b4','node-868274a0',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-23fe65b4','node-868274a0',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-23fe65b4','node-868274a0',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-23fe65b4','node-868274a0',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-23fe65b4','node-868274a0',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-23fe65b4','node-868274a0',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-23fe65b4','node-868274a0',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-23fe65b4','node-868274a0',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-23fe65b4','node-868274a0',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-23fe65b4','node-868274a0',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-23fe65b4','node-868274a0',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-23fe65b4','node-868274a0',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-23fe65b4','node-868274a0',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-23fe65b4','node-868274a0',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-23fe65b4','node-868274a0',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-23fe65b4','node-868274a0',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-23fe65b4','node-868274a0',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-23fe65b4','node-868274a0',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-23fe65b4','node-868274a0',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-23fe65b4','node-868274a0',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-23fe65b4','node-868274a0',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-23fe65b4','node-868274a0',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-23fe65b4','node-868274a0',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-23fe65b4','node-868274a0',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-23fe65b4','node-868274a0',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-23fe65b4','node-868274a0',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-23fe65b4','node-868274a0',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-23fe65b4','node-868274a0',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-23fe65b4','node-868274a0',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-23fe65b4','node-868274a0',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-23fe65b4','node-868274a0',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-23fe65b4','node-868274a0',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-23fe65b4','node-868274a0',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-23fe65b4','node-868274a0',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-23fe65b4','node-868274a0',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-23fe65b4','node-868274a0',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-23fe65b4','node-868274a0',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-23fe65b4','node-868274a0',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-23fe65b4','node-868274a0',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-23fe65b4','node-868274a0',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-23fe65b4','node-868274a0',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-23fe65b4','node-868274a0',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-23fe65b4','node-868274a0',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-23fe65b4','node-868274a0',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-23fe65b4','node-868274a0',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-23fe65b4','node-868274a0',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-23fe65b4','node-868274a0',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-23fe65b4','node-868274a0',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-1fabcca9','node-3d38dd28',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-1fabcca9','node-3d38dd28',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-1fabcca9','node-3d38dd28',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-1fabcca9','node-3d38dd28',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-1fabcca9','node-3d38dd28',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-1fabcca9','node-3d38dd28',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-1fabcca9','node-3d38dd28',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-1fabcca9','node-3d38dd28',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-1fabcca9','node-3d38dd28',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-1fabcca9','node-3d38dd28',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-1fabcca9','node-3d38dd28',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-1fabcca9','node-3d38dd28',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-1fabcca9','node-3d38dd28',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-1fabcca9','node-3d38dd28',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-1fabcca9','node-3d38dd28',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-1fabcca9','node-3d38dd28',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-1fabcca9','node-3d38dd28',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-1fabcca9','node-3d38dd28',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-1fabcca9','node-3d38dd28',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-1fabcca9','node-3d38dd28',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-1fabcca9','node-3d38dd28',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-1fabcca9','node-3d38dd28',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-1fabcca9','node-3d38dd28',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-1fabcca9','node-3d38dd28',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-1fabcca9','node-3d38dd28',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-1fabcca9','node-3d38dd28',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-1fabcca9','node-3d38dd28',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-1fabcca9','node-3d38dd28',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-1fabcca9','node-3d38dd28',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-1fabcca9','node-3d38dd28',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-1fabcca9','node-3d38dd28',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-1fabcca9','node-3d38dd28',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-1fabcca9','node-3d38dd28',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-1fabcca9','node-3d38dd28',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-1fabcca9','node-3d38dd28',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-1fabcca9','node-3d38dd28',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-1fabcca9','node-3d38dd28',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-1fabcca9','node-3d38dd28',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-1fabcca9','node-3d38dd28',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-1fabcca9','node-3d38dd28',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-1fabcca9','node-3d38dd28',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-1fabcca9','node-3d38dd28',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-1fabcca9','node-3d38dd28',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-1fabcca9','node-3d38dd28',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-1fabcca9','node-3d38dd28',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-1fabcca9','node-3d38dd28',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-1fabcca9','node-3d38dd28',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-1fabcca9','node-3d38dd28',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-1fabcca9','node-3d38dd28',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-1fabcca9','node-3d38dd28',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-1fabcca9','node-3d38dd28',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-1fabcca9','node-3d38dd28',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-1fabcca9','node-3d38dd28',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-1fabcca9','node-3d38dd28',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-1fabcca9','node-3d38dd28',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-1fabcca9','node-3d38dd28',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-1fabcca9','node-3d38dd28',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-1fabcca9','node-3d38dd28',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-1fabcca9','node-3d38dd28',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-1fabcca9','node-3d38dd28',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-1fabcca9','node-3d38dd28',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-1fabcca9','node-3d38dd28',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-1fabcca9','node-3d38dd28',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-1fabcca9','node-3d38dd28',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-1fabcca9','node-3d38dd28',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-1fabcca9','node-3d38dd28',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-1fabcca9','node-3d38dd28',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-1fabcca9','node-3d38dd28',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-1fabcca9','node-3d38dd28',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-1fabcca9','node-3d38dd28',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-1fabcca9','node-3d38dd28',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-1fabcca9','node-3d38dd28',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-1fabcca9','node-3d38dd28',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-1fabcca9','node-3d38dd28',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-1fabcca9','node-3d38dd28',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-1fabcca9','node-3d38dd28',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-1fabcca9','node-3d38dd28',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-1fabcca9','node-3d38dd28',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-1fabcca9','node-3d38dd28',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-1fabcca9','node-3d38dd28',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-1fabcca9','node-3d38dd28',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-1fabcca9','node-3d38dd28',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-1fabcca9','node-3d38dd28',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-1fabcca9','node-3d38dd28',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-1fabcca9','node-3d38dd28',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-1fabcca9','node-3d38dd28',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-1fabcca9','node-3d38dd28',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-1fabcca9','node-3d38dd28',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-1fabcca9','node-3d38dd28',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-1fabcca9','node-3d38dd28',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-1fabcca9','node-3d38dd28',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-1fabcca9','node-3d38dd28',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-1fabcca9','node-3d38dd28',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-1fabcca9','node-3d38dd28',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-1fabcca9','node-3d38dd28',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-1fabcca9','node-3d38dd28',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-1fabcca9','node-3d38dd28',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-1fabcca9','node-3d38dd28',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-1fabcca9','node-3d38dd28',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-1fabcca9','node-3d38dd28',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
COMMIT;
