-- migration 0019, by the code of commit fd95ea1; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alarms (
	id INTEGER NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	text TEXT NOT NULL, 
	since_s FLOAT NOT NULL, 
	over_at_s FLOAT, 
	CONSTRAINT pk_alarms PRIMARY KEY (id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0019');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, width_s INTEGER DEFAULT '5' NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-b819345e',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-b819345e',1700000085,'main',36.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3dcadfab',1700000085,'main',36.0,5);
CREATE TABLE certificates (
	job_id VARCHAR(32) NOT NULL, 
	pem TEXT NOT NULL, 
	made_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_certificates PRIMARY KEY (job_id), 
	CONSTRAINT fk_certificates_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE code (
	sha256 VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	stored_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_code PRIMARY KEY (sha256)
);
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
	snapshot BLOB NOT NULL, version INTEGER DEFAULT '1' NOT NULL, weighed_at_s FLOAT, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-b819345e',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB6EDB3810FD173EBB866327D924BF521404458E24D614A9F262C709F2EF3B438AB4956251A0C076574FE270389733D77766DD9907F672F7D7AE7CFBED6EC3BEBB8EBDBC33ADD80BFD7FE99EEE9E0FF70FC0362CCC20E9CE8A09F016AC028564E9A64958E4FFCAA217DA6EE70BFB4664855C3619B341D6133EFCD8B0B3F347E384AA17E365063F0B8F1223F850982CBE0C7CD2166D6B27F17A733A0B1BA109B1B37792A3206EB34E26527468D8605C270CEF449463E5D5A84644ED2C394E4E6F98EBBE838CFA04E41BEAD1937E232957D62C5B39638447B10A8432DA0261578476490D10790ACD241443C7FC7074C957FA499804DCF53CEA09AE1CF5DA59743BA05CD68B102144B6C0C1230285F4AF04AC9885D4F1428EDA0B1A343BA3251D3B7CC1B30AA4F6FA15146F8FAB8A7914214B6A719C3066C89F6CD48637A70BFF07EA5314543E7821B3CB871DA5C95490F6A851F848467828818D3E01DDA329414CB38125AAC8207568920B46CBFB86A44B714ED7E33A7493189A1B1E7E24ED61021B175802C434975F25A2A88C01A4872B0F1DF8CF0917757F690879ED7CC677578C54A940720D78719A4AC145DE41EFFC4D3650BCDBA18518D98C3B2FA87E2C71200493B5DA0E545EA99B74C4BCE622AEEA32037E426B3378FB9B24662FF794C1B9EC5008AF429790F6480D6313586B5191BE1A04086105AB7216B2E74798E3E774D8D4800712F906DEB1975E980004899BB13047B05C84E3B538572104EFDD520B08010AC2B2A97732798FD16C454D855EA2B62A8096B6C64961B63F125A035496724E68F776FF404E4DCE5FF8A0B195E5A636CC894B9748FA72A2FC35D79AB8048DD290C743B8E6C192B0A496F5F3614F6D6D9585429D74709E77491EAB271F9B4F268EC2F457FBFE77E6F548ACE6DDE5D2FE4FCDFB960B502EB1A631845DDFF53DF89CB5EFECA6A3FD9C03D7D6E8EC1705792E6DD85BCEE9C24D1DF5A6EF626D51C660D3D48AF7DE4DB9F21E9FF17BBC2F95E7BA00FEF40F6519B0D82509CFDD1A33FC158B31F0B506C29C3CD9FFCA939A2ABFE3C6FD1F73E3F02B376A4AFD8E1BCFFFBA17790E785DBB4B386BEC506DB88EC20EED6AC68654C63A3EDC61221A5C0E6898D0A2E007DA5076DB3BDA759C51EE9C27C463B1257A8D2571D616E9487DAA1432268CC2C3D20C8A7A1C492900CFA387843C9088CEE17469A40391481EAF9ACA24CED542FB11C7D222F253C52ACCE5FDFAFAB01888FB959ED2C43B6D0CE219B28FD54ADC500027CEA5B5770F42AE67604515FB048E7109B840A92A43CBE3E205C5D78A93D046740696F1EC5297D7B79B4343197B44E01207B871033FE28A6AEB4A81408DB88B10811E123A4B9C6684BFFEE23C25D134D63DF408EAA20784371A9B44092CCDB04F73D161B0C38AB28429B7A5BF01BB31CAFA',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-3dcadfab',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56EB8EDB2A107E177EA75136D96EDBBC4A55210C639B0683CB25D9EC6ADFBD336048BCD551A54AA7E7F8971986B97C737D65D65D7860C7874FBBF2EDB7BB0DFBEE3A767C655AB123FD7F382829542F3AB66161064977564C80B7D10B6DB51DF046BA6912169F7C2DD4ED7C65DF88AC90D12663360CEC19DFBE6DD8C5F9937142D58BF13A839F8547A1117C284C165F063E698BE6B59378BE3B5D848DD084D8D93BC95110B7592713293A346C30AE13867722CAB1F26A5423A276967C27BF37CC75DF41467D06720FF5E849BF90941B6B96AD9C31C2A3580542196D81E02B42BBA406883C8566128AA1637E38BAE42BFD2C4C02EE7A1EF504378E7AED2CBA1D502EEB458810225BE0E0118142FA570256CC42EA782547ED150D9A9DD1928E1DBEE05905527BFD0C8AB7C755C53C8A9025B5504E1833E44F366AC39BD385FF0DF5290A2A1FBC90D9E5C38E32652A487BD4287C24233C94C0469F80EED19420A6D9C0125564903A34C905A3E57D43D2A538A7DB711DBA490CCD0D0F3F92F630818D0B2C01629ACBAF125154C600D2C38D870EFCD7848BBABF3684BC763EE3BB2B46AA5420B905BC384DD5E022EFA077FE2E1B28DEEDD0428C6CC65D1654DF96381082C92E75145237E98879CD455C956606FC8CD666F0F67749CC8E8F94C1B5187915BA84B4476A189BC05A8B8AF4D52040082B5895B3903D3FC11CDFA7C3A6063C90C817F08E1D7B610210246EC6C21CC172114EB7E25C8510BC774B2D20042808CBA6DEC9E43D46B31535157A89DAAA005ADA1A2785D9FE48680D5059CA39A1DDDBFD47726A72FECA078DDD2CF7B5614E5CBA44D29713E5AFB9D5C4356894863C1EC22D0F968425B5AC9F0F7B6A6BAB2C14EAAC83F3BC4BF2543D79DBBC337114A6BFD9F7BF33AF476235EF2197F67F6ADEB75C807289354D22ECFAAEEFC1E7AC7D65771DEDD71CB8B546673F28C87369C35E724E176EEAA8777D176B8B32069BA656BCF76ECA95F7F405BFA7C75279AE0BE0CFFF5096018B5DE68148DD1A33FC198B31F0B506C29C3CD9FFCE939A2A7FE2C6E35F73E3F03B376A4AFD891B5FFE752FF21CF0BA769770D1D8A1DA701D851DDAD58C0DA98C757CB8C34434B81CD030A145C10FB4A1ECB60FB4EB38A3DC254F88A7624BF41A4BE2A22DD291FAB952C898300A0F4B3328EA7124A5003C8F1E12F29144740EA74B231D8844F278D5542671AE16DA8F389616913F57ACC25CDEAFAF0F8B81B85FE9294DBCD3C6209E21FB58ADC40D0570E25C5B7BF720E47A065654B14FE01897800B94AA32B43C2D5E507CAD380B6D44676019CF2E75797DBB3B3494B147042E71801B37F0136EA9B6AE1408D488BB0811E821A1B3C46946F8EB2FCE53124D63DD438FA02E7A4078A3B14994C0D20C7B37171D063BAC284B98725BFA0994E8CD39',1,1700000002.0);
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
INSERT INTO "events" VALUES(2,1700000000.0,'job-b819345e',NULL,'job_submitted','job ended submitted, mode restart','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-b819345e',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-b819345e',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-b819345e','node-21c45680','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-b819345e','node-21c45680','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-b819345e','node-af882fe6','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-b819345e','node-af882fe6','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-b819345e',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-b819345e',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-b819345e',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-b819345e','node-21c45680','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-b819345e','node-21c45680','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-b819345e','node-af882fe6','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-b819345e','node-af882fe6','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-b819345e',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-b819345e',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-3dcadfab',NULL,'job_submitted','job training submitted, mode restart','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-3dcadfab',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-3dcadfab',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-3dcadfab','node-9c774f35','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-3dcadfab','node-9c774f35','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-3dcadfab','node-e41b4a73','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-3dcadfab','node-e41b4a73','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-3dcadfab',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-3dcadfab',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-3dcadfab',NULL,'note','a note of training','{}');
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
	hangs BOOLEAN NOT NULL, world_size INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-b819345e',1,'["node-21c45680", "node-af882fe6"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-3dcadfab',1,'["node-9c774f35", "node-e41b4a73"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
CREATE TABLE identity (
	id INTEGER NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_identity PRIMARY KEY (id)
);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	asked_by VARCHAR(32) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind_node_id UNIQUE (token, kind, node_id)
);
INSERT INTO "intents" VALUES(1,'05767918555dcef081bb06fd7dc16893','launch','node-21c45680','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'1159fec606119bf2d9f5b68ae5dc8c27','launch','node-af882fe6','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'05767918555dcef081bb06fd7dc16893','terminate','node-21c45680','05767918555dcef081bb06fd7dc16893','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'1159fec606119bf2d9f5b68ae5dc8c27','terminate','node-af882fe6','1159fec606119bf2d9f5b68ae5dc8c27','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'018bd4405303a332e86c169d34a49e7f','launch','node-9c774f35','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'7dfabed2ba39d1d906ab7397add7cdd0','launch','node-e41b4a73','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE "jobs" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration BIGINT NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	newest_round BIGINT NOT NULL, 
	registered_round BIGINT NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	code VARCHAR(64), 
	failures INTEGER NOT NULL, 
	failed_iteration BIGINT NOT NULL, 
	longest_pause_s FLOAT, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	redone BIGINT DEFAULT '0' NOT NULL, 
	kept_iteration BIGINT, 
	restarts_at_zero BOOLEAN DEFAULT 0 NOT NULL, 
	stops_when_asked BOOLEAN, 
	batch VARCHAR(8), 
	saves TEXT, 
	error TEXT, unknown_least_usd FLOAT, unknown_most_usd FLOAT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-b819345e','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"image":null,"requirements":[],"setup":[],"data":null,"secrets":[],"secret_parameters":{},"notify":null,"priority":0,"max_duration_s":null,"start":{"not_before_s":null,"hours":null,"usd_per_h_below":null}}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-3dcadfab','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"image":null,"requirements":[],"setup":[],"data":null,"secrets":[],"secret_parameters":{},"notify":null,"priority":0,"max_duration_s":null,"start":{"not_before_s":null,"hours":null,"usd_per_h_below":null}}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "ledger" VALUES(1,'job-b819345e','node-21c45680','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-b819345e','node-21c45680','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-b819345e','node-af882fe6','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-b819345e','node-af882fe6','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-3dcadfab','node-9c774f35','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-3dcadfab','node-9c774f35','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-3dcadfab','node-e41b4a73','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-3dcadfab','node-e41b4a73','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE losses (
	event_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	from_s FLOAT, 
	to_s FLOAT, 
	CONSTRAINT pk_losses PRIMARY KEY (event_id), 
	CONSTRAINT fk_losses_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_losses_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE "nodes" (
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
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	failures INTEGER NOT NULL, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, 
	processes INTEGER DEFAULT '1' NOT NULL, 
	threads INTEGER DEFAULT '1' NOT NULL, 
	image VARCHAR(64), 
	setup_s FLOAT, 
	setup_bytes BIGINT, 
	prepared_at_s FLOAT, 
	report TEXT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT uq_nodes_id UNIQUE (id), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "nodes" VALUES(1,'node-21c45680','job-b819345e','local.half','on-demand','local','terminated','05767918555dcef081bb06fd7dc16893',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-af882fe6','job-b819345e','local.half','on-demand','local','terminated','1159fec606119bf2d9f5b68ae5dc8c27',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-9c774f35','job-3dcadfab','local.half','on-demand','local','joined','018bd4405303a332e86c169d34a49e7f',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-e41b4a73','job-3dcadfab','local.half','on-demand','local','joined','7dfabed2ba39d1d906ab7397add7cdd0',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE notifications (
	id INTEGER NOT NULL, 
	"key" VARCHAR(96) NOT NULL, 
	topic VARCHAR(16) NOT NULL, 
	recipient VARCHAR(64) NOT NULL, 
	job_id VARCHAR(32), 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	made_at_s FLOAT NOT NULL, 
	delivery VARCHAR(16) NOT NULL, 
	tries INTEGER NOT NULL, 
	next_at_s FLOAT NOT NULL, 
	sent_at_s FLOAT, 
	error TEXT, 
	CONSTRAINT pk_notifications PRIMARY KEY (id), 
	CONSTRAINT uq_notifications_key_recipient UNIQUE ("key", recipient)
);
CREATE TABLE past_prices (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_past_prices PRIMARY KEY (node_type, capacity, zone, valid_from_s)
);
CREATE TABLE pools (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	history TEXT NOT NULL, 
	CONSTRAINT pk_pools PRIMARY KEY (node_type, capacity, zone)
);
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
CREATE TABLE resumes (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	ending VARCHAR(24) NOT NULL, 
	resumed_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_resumes PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_resumes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE rollups (
	job_id VARCHAR(32) NOT NULL, 
	windows_to_s FLOAT NOT NULL, 
	CONSTRAINT pk_rollups PRIMARY KEY (job_id), 
	CONSTRAINT fk_rollups_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE secrets (
	name VARCHAR(32) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	value TEXT, 
	CONSTRAINT pk_secrets PRIMARY KEY (name, sha256)
);
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, iterations BIGINT DEFAULT '0' NOT NULL, elapsed_s FLOAT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-b819345e','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-3dcadfab','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration BIGINT, 
	iterations BIGINT NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-b819345e','node-21c45680',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-b819345e','node-21c45680',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-b819345e','node-21c45680',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-b819345e','node-21c45680',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-b819345e','node-21c45680',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-b819345e','node-21c45680',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-b819345e','node-21c45680',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-b819345e','node-21c45680',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-b819345e','node-21c45680',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-b819345e','node-21c45680',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-b819345e','node-21c45680',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-b819345e','node-21c45680',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-b819345e','node-21c45680',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-b819345e','node-21c45680',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-b819345e','node-21c45680',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-b819345e','node-21c45680',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-b819345e','node-21c45680',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-b819345e','node-21c45680',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-b819345e','node-21c45680',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-b819345e','node-21c45680',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-b819345e','node-21c45680',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-b819345e','node-21c45680',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-b819345e','node-21c45680',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-b819345e','node-21c45680',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-b819345e','node-21c45680',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-b819345e','node-21c45680',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-b819345e','node-21c45680',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-b819345e','node-21c45680',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-b819345e','node-21c45680',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-b819345e','node-21c45680',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-b819345e','node-21c45680',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-b819345e','node-21c45680',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-b819345e','node-21c45680',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-b819345e','node-21c45680',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-b819345e','node-21c45680',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-b819345e','node-21c45680',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-b819345e','node-21c45680',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-b819345e','node-21c45680',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-b819345e','node-21c45680',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-b819345e','node-21c45680',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-b819345e','node-21c45680',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-b819345e','node-21c45680',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-b819345e','node-21c45680',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-b819345e','node-21c45680',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-b819345e','node-21c45680',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-b819345e','node-21c45680',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-b819345e','node-21c45680',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-b819345e','node-21c45680',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-b819345e','node-21c45680',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-b819345e','node-21c45680',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-b819345e','node-21c45680',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-b819345e','node-21c45680',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-b819345e','node-21c45680',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-b819345e','node-21c45680',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-b819345e','node-21c45680',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-b819345e','node-21c45680',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-b819345e','node-21c45680',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-b819345e','node-21c45680',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-b819345e','node-21c45680',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-b819345e','node-21c45680',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-b819345e','node-21c45680',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-b819345e','node-21c45680',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-b819345e','node-21c45680',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-b819345e','node-21c45680',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-b819345e','node-21c45680',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-b819345e','node-21c45680',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-b819345e','node-21c45680',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-b819345e','node-21c45680',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-b819345e','node-21c45680',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-b819345e','node-21c45680',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-b819345e','node-21c45680',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-b819345e','node-21c45680',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-b819345e','node-21c45680',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-b819345e','node-21c45680',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-b819345e','node-21c45680',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-b819345e','node-21c45680',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-b819345e','node-21c45680',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-b819345e','node-21c45680',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-b819345e','node-21c45680',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-b819345e','node-21c45680',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-b819345e','node-21c45680',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-b819345e','node-21c45680',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-b819345e','node-21c45680',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-b819345e','node-21c45680',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-b819345e','node-21c45680',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-b819345e','node-21c45680',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-b819345e','node-21c45680',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-b819345e','node-21c45680',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-b819345e','node-21c45680',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-b819345e','node-21c45680',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-b819345e','node-21c45680',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-b819345e','node-21c45680',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-b819345e','node-21c45680',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-b819345e','node-21c45680',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-b819345e','node-21c45680',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-b819345e','node-21c45680',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-b819345e','node-21c45680',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-b819345e','node-21c45680',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-b819345e','node-21c45680',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-b819345e','node-21c45680',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-3dcadfab','node-9c774f35',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-3dcadfab','node-9c774f35',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-3dcadfab','node-9c774f35',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-3dcadfab','node-9c774f35',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-3dcadfab','node-9c774f35',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-3dcadfab','node-9c774f35',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-3dcadfab','node-9c774f35',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-3dcadfab','node-9c774f35',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-3dcadfab','node-9c774f35',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-3dcadfab','node-9c774f35',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-3dcadfab','node-9c774f35',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-3dcadfab','node-9c774f35',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-3dcadfab','node-9c774f35',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-3dcadfab','node-9c774f35',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-3dcadfab','node-9c774f35',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-3dcadfab','node-9c774f35',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-3dcadfab','node-9c774f35',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-3dcadfab','node-9c774f35',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-3dcadfab','node-9c774f35',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-3dcadfab','node-9c774f35',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-3dcadfab','node-9c774f35',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-3dcadfab','node-9c774f35',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-3dcadfab','node-9c774f35',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-3dcadfab','node-9c774f35',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-3dcadfab','node-9c774f35',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-3dcadfab','node-9c774f35',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-3dcadfab','node-9c774f35',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-3dcadfab','node-9c774f35',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-3dcadfab','node-9c774f35',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-3dcadfab','node-9c774f35',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-3dcadfab','node-9c774f35',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-3dcadfab','node-9c774f35',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-3dcadfab','node-9c774f35',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-3dcadfab','node-9c774f35',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-3dcadfab','node-9c774f35',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-3dcadfab','node-9c774f35',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-3dcadfab','node-9c774f35',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-3dcadfab','node-9c774f35',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-3dcadfab','node-9c774f35',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-3dcadfab','node-9c774f35',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-3dcadfab','node-9c774f35',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-3dcadfab','node-9c774f35',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-3dcadfab','node-9c774f35',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-3dcadfab','node-9c774f35',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-3dcadfab','node-9c774f35',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-3dcadfab','node-9c774f35',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-3dcadfab','node-9c774f35',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-3dcadfab','node-9c774f35',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-3dcadfab','node-9c774f35',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-3dcadfab','node-9c774f35',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-3dcadfab','node-9c774f35',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-3dcadfab','node-9c774f35',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-3dcadfab','node-9c774f35',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-3dcadfab','node-9c774f35',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-3dcadfab','node-9c774f35',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-3dcadfab','node-9c774f35',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-3dcadfab','node-9c774f35',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-3dcadfab','node-9c774f35',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-3dcadfab','node-9c774f35',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-3dcadfab','node-9c774f35',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-3dcadfab','node-9c774f35',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-3dcadfab','node-9c774f35',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-3dcadfab','node-9c774f35',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-3dcadfab','node-9c774f35',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-3dcadfab','node-9c774f35',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-3dcadfab','node-9c774f35',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-3dcadfab','node-9c774f35',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-3dcadfab','node-9c774f35',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-3dcadfab','node-9c774f35',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-3dcadfab','node-9c774f35',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-3dcadfab','node-9c774f35',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-3dcadfab','node-9c774f35',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-3dcadfab','node-9c774f35',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-3dcadfab','node-9c774f35',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-3dcadfab','node-9c774f35',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-3dcadfab','node-9c774f35',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-3dcadfab','node-9c774f35',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-3dcadfab','node-9c774f35',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-3dcadfab','node-9c774f35',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-3dcadfab','node-9c774f35',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-3dcadfab','node-9c774f35',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-3dcadfab','node-9c774f35',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-3dcadfab','node-9c774f35',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-3dcadfab','node-9c774f35',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-3dcadfab','node-9c774f35',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-3dcadfab','node-9c774f35',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-3dcadfab','node-9c774f35',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-3dcadfab','node-9c774f35',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-3dcadfab','node-9c774f35',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-3dcadfab','node-9c774f35',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-3dcadfab','node-9c774f35',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-3dcadfab','node-9c774f35',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-3dcadfab','node-9c774f35',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-3dcadfab','node-9c774f35',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-3dcadfab','node-9c774f35',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-3dcadfab','node-9c774f35',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-3dcadfab','node-9c774f35',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-3dcadfab','node-9c774f35',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-3dcadfab','node-9c774f35',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-3dcadfab','node-9c774f35',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_losses_job_id ON losses (job_id);
CREATE INDEX ix_alarms_over_at_s ON alarms (over_at_s);
CREATE INDEX ix_notifications_delivery ON notifications (delivery);
CREATE INDEX ix_notifications_made_at_s ON notifications (made_at_s);
COMMIT;
