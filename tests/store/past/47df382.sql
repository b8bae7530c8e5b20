-- migration 0014, by the code of commit 47df382; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0014');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, width_s INTEGER DEFAULT '5' NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-3cfa68d4',1700000085,'main',36.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-471839cd',1700000085,'main',36.0,5);
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
INSERT INTO "decisions" VALUES(1,'job-3cfa68d4',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB6EDB3810FD173EBB8663A7D934BF521404458D24D614C9F262C709F2EF7B461265BB8B4581027BD193381CCEE5F0CC0CDF85F36799C4CBC31FBBF9DB6F771BF1DD37E2E55D9856BCF0FFA783EED4D373FB28362205D2BCE7D448D825D7520BB1F6E3A81CF4BF8A1C9571DB7011DF58DC42CB156B37503DE1E0C7469C7D3C5AAFDABA315C02C5A0222C668A6956723899E4681C625B57EAF56675562ED36AC485E8B58421E9269F4295EC11586F7DA3AC6C54D643D53570A3B2F18E13E7A437C237DF49677322CE0D7ECC68DED8CA5575B2DD7A6B5584D996546B8D23C66E36DA94B6A72C4B5A4382195E4E07075F62959F942D247D27B319E9AA51B7BD43DA097645A752A694C50287CC000AF2AF0CAC0A4A9B7CE144DD0501056F8DE665831372720169675EA995EBE1EA220C2A4D96D67B1C7167D02F2E1B2BD7A467FD0FF86BF952651F959E523EEC9826E38C7484471533071169BED81C0BF13E42496A0C96965B85823669B53C63B49C5F91F42587725DDE5D5DA41FC5441AC9E5058944B984F9B7555955C5443AD2ACF3B124CCA116E78CEB99C7A5194D0681A4CA7705306576020FA728F7376C112F8F4C9589DF3022ABD105BB0ED234AC062BE95BF657B3A594544FD7645AEFB082D12385FC33EE9B8A6C62936F14BD78E9944D4036651F50010339A9D2F15A057758518C7E211D208021F0B3EEE91223305CAB872B6A06F18E692B3FACD7CA6E7F144443CC7F1D0AE2DEEE3F7352A38F17D91BF48CA97BF4A148ED0B5B5F564C147B25DF251958834EA415A89519EC5674E1B0E7FE61C61BB8547B32C947D9147DAC997C6C7E0A7150B6BBC6F7BF0BAF83B086F730D5D07F1ADE373E6AF472D7DCEFD15E7DD7519C58FB2E6E5AC75F3970ED41DE7D6A691A001BF136717AD6E6D675D3E0505BCC187427D3CA2EFA71AABCA72FF89E1EE7CAF34DA278FA9BB24CE8A29A8D4F6D110C7F45312679EF8131E74CF6BFCAA452E577D278FCD7D238FC2A8D4AA9DF49E3CB3F9EC5D4A1A3A9DD259D0D3AD43AC506E5FA752BA021CDF313077720A2C514E616CE1339F6FC14D86D1FF851E16DEBCF8E437A9A63C9D1A024CEC6410EE973957030695091966630BB9741954412CC473D40FD339B68BCCF57D181456C4F564FF3C89BAA851F2212A5C5E2E78A550AF3F9FBEDC312201E32662CA36C8CB5C0334D39D628F114204C9CCBDADE2329CD73E03A472AAAE81398979AF05269AB0DA38F4B167CBF4E9D94B1AAB1B40C455F9AE99D74B35851468F4852636C5ADFCB23DE82AECE6E003560E8B3800F323ACB3D05C05F7F314FD9348FF6481D405DFC908AD6A049F0F4FD1374B08205',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-471839cd',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB6EDB3810FD173DBB8663A769E25F290A82A246126B8A6479B1E304F9F73D238992DDC5A24081EDAE9EC4E1702E876766F85E597711B13A3E7CD94DDF7EBBDB54DF5D5D1DDF2BDD5447FEFFF4F8E5E1F9F0A29A6A53454F8AF7AC1C08BB29486DB5EDB0A3DC30488B235F27E9D65FAB6F2C6EA068B3319B8AEC19673F36D5C5859371B2291BFDD553F032C068A21027258B93510CDA22BC65255F6F561769132D46AC0F4E09181276F459C99C1C02EB8CABA511B54CAA2FBA1A6E64D2CE72EE9CF7A672F57752499F89D3831F3DE837B6B2AA8EB61B678C0C30DB906C8CB6C4F04D46EBDC7494448E4B4830C3CBF160EF7228F2B33499846B45D203AD1A65DB59A41D61B76A654C145335C321128082FC2B032BBD543A5D39517B4540DE19AD7859E384185D40DAEA576AC472B8B8F0BD8CA3A5E52A07DC19F4B34DDA8825E949FF03FE1ABE54D105A9C6940F3B66CA30211DE05186C441049A2E36854CBC8F50A21CBCA1F956A1A0745C2C4F18CDE717245D4E3EAFCBBBAB0BF423EB4003D934231129653FFD3632C9A21849059A743EE68439D46C67C2C65C0F3A814042A6BB1A18333B83876394FB1BB654C747A64A61BD284667EC5A4863BF182CA46FD85FC99662941DADC934CE6205A327F2E967DC3705D9C826DF28B8EAD84A13816C4CCEA3027AB242C6D35A05775851086E261D208021F0B3ECA91C02305CAA872B6A02F18E690B3F8C53D26C7F644443CC7FE533E2DEEE3F7352830B57D169B48DB181743E0BE5325B9F574C14B392EF1A35AC4127D002D4C20C765BB5FEB0E7FEA1871BB86473D6D1055167752A997C6C7E0AB197A65DE3FBDF85D74258C27B186BE83F0DEF1B1FD56ABE6B6EF968AFAE6D298CAC7DAF6E5AC7DF39B0F620673F35340E804DF536727AD2E6D675D3E0505BCC187427DD8836B861ACBCA7177C4F8F53E5B93A5238FF4359467451354E1E6E8B60F82B8A318A7B0F8C3967B2FF5526852ABF93C6E31F4BE3F0AB340AA57E278D977F3D8BB143075DBA4BBC6874A8658AF5D276CB9647439AE6270EEE40448329CC2D9C2772E8F829B0DB3EF0A3C299C65D2C87F434C5928246495CB4851CD2E722E160622F03CDCD60722FBCCC9104988F7A80FA6736513B9756D181456C4F144FD3C81BAB851F2202A5C5E2E78255F4D3F9FBEDC31C201E327AC883A8B531C0338E399628F114204C9CEBD2DE0349C573609D230555F409CC4B4578A934C58656A7390BBE5F2BCF521B591B9A87A2CBF5F84EBA592C28A34744A130368DEBC409CF415B663780EA31F459C007199DF99E3CE02FBF98A76C9A477BA016A0CE7E4806A3D12478FAFE05C6B18305',1,1700000002.0);
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
INSERT INTO "events" VALUES(2,1700000000.0,'job-3cfa68d4',NULL,'job_submitted','job ended submitted, mode restart','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-3cfa68d4',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-3cfa68d4',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-3cfa68d4','node-5d92deee','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-3cfa68d4','node-5d92deee','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-3cfa68d4','node-d3ebc136','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-3cfa68d4','node-d3ebc136','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-3cfa68d4',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-3cfa68d4',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-3cfa68d4',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-3cfa68d4','node-5d92deee','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-3cfa68d4','node-5d92deee','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-3cfa68d4','node-d3ebc136','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-3cfa68d4','node-d3ebc136','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-3cfa68d4',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-3cfa68d4',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-471839cd',NULL,'job_submitted','job training submitted, mode restart','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-471839cd',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-471839cd',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-471839cd','node-7ccd0594','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-471839cd','node-7ccd0594','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-471839cd','node-0fdf5079','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-471839cd','node-0fdf5079','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-471839cd',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-471839cd',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-471839cd',NULL,'note','a note of training','{}');
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
INSERT INTO "generations" VALUES('job-3cfa68d4',1,'["node-5d92deee", "node-d3ebc136"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-471839cd',1,'["node-7ccd0594", "node-0fdf5079"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
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
INSERT INTO "intents" VALUES(1,'bca8d34aaaef4c6cf6c3aa6822af743a','launch','node-5d92deee','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'c81827979cd588cfa619e7f56285930a','launch','node-d3ebc136','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'bca8d34aaaef4c6cf6c3aa6822af743a','terminate','node-5d92deee','bca8d34aaaef4c6cf6c3aa6822af743a','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'c81827979cd588cfa619e7f56285930a','terminate','node-d3ebc136','c81827979cd588cfa619e7f56285930a','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'268f2eb03e2555817aa890374de9f45c','launch','node-7ccd0594','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'747f88c901979473226be8010c0f82e0','launch','node-0fdf5079','h','',1700000001.0,1700000005.0,'launched');
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
	error TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-3cfa68d4','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-471839cd','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL);
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
INSERT INTO "ledger" VALUES(1,'job-3cfa68d4','node-5d92deee','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-3cfa68d4','node-5d92deee','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-3cfa68d4','node-d3ebc136','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-3cfa68d4','node-d3ebc136','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-471839cd','node-7ccd0594','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-471839cd','node-7ccd0594','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-471839cd','node-0fdf5079','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-471839cd','node-0fdf5079','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
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
INSERT INTO "nodes" VALUES(1,'node-5d92deee','job-3cfa68d4','local.half','on-demand','local','terminated','bca8d34aaaef4c6cf6c3aa6822af743a',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-d3ebc136','job-3cfa68d4','local.half','on-demand','local','terminated','c81827979cd588cfa619e7f56285930a',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-7ccd0594','job-471839cd','local.half','on-demand','local','joined','268f2eb03e2555817aa890374de9f45c',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-0fdf5079','job-471839cd','local.half','on-demand','local','joined','747f88c901979473226be8010c0f82e0',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
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
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, iterations BIGINT DEFAULT '0' NOT NULL, elapsed_s FLOAT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-3cfa68d4','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-471839cd','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
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
INSERT INTO "windows" VALUES(1,1,'job-3cfa68d4','node-5d92deee',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-3cfa68d4','node-5d92deee',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-3cfa68d4','node-5d92deee',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-3cfa68d4','node-5d92deee',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-3cfa68d4','node-5d92deee',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-3cfa68d4','node-5d92deee',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-3cfa68d4','node-5d92deee',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-3cfa68d4','node-5d92deee',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-3cfa68d4','node-5d92deee',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-3cfa68d4','node-5d92deee',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-3cfa68d4','node-5d92deee',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-3cfa68d4','node-5d92deee',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-3cfa68d4','node-5d92deee',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-3cfa68d4','node-5d92deee',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-3cfa68d4','node-5d92deee',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-3cfa68d4','node-5d92deee',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-3cfa68d4','node-5d92deee',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-3cfa68d4','node-5d92deee',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-3cfa68d4','node-5d92deee',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-3cfa68d4','node-5d92deee',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-3cfa68d4','node-5d92deee',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-3cfa68d4','node-5d92deee',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-3cfa68d4','node-5d92deee',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-3cfa68d4','node-5d92deee',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-3cfa68d4','node-5d92deee',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-3cfa68d4','node-5d92deee',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-3cfa68d4','node-5d92deee',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-3cfa68d4','node-5d92deee',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-3cfa68d4','node-5d92deee',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-3cfa68d4','node-5d92deee',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-3cfa68d4','node-5d92deee',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-3cfa68d4','node-5d92deee',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-3cfa68d4','node-5d92deee',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-3cfa68d4','node-5d92deee',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-3cfa68d4','node-5d92deee',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-3cfa68d4','node-5d92deee',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-3cfa68d4','node-5d92deee',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-3cfa68d4','node-5d92deee',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-3cfa68d4','node-5d92deee',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-3cfa68d4','node-5d92deee',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-3cfa68d4','node-5d92deee',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-3cfa68d4','node-5d92deee',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-3cfa68d4','node-5d92deee',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-3cfa68d4','node-5d92deee',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-3cfa68d4','node-5d92deee',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-3cfa68d4','node-5d92deee',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-3cfa68d4','node-5d92deee',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-3cfa68d4','node-5d92deee',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-3cfa68d4','node-5d92deee',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-3cfa68d4','node-5d92deee',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-3cfa68d4','node-5d92deee',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-3cfa68d4','node-5d92deee',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-3cfa68d4','node-5d92deee',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-3cfa68d4','node-5d92deee',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-3cfa68d4','node-5d92deee',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-3cfa68d4','node-5d92deee',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-3cfa68d4','node-5d92deee',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-3cfa68d4','node-5d92deee',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-3cfa68d4','node-5d92deee',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-3cfa68d4','node-5d92deee',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-3cfa68d4','node-5d92deee',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-3cfa68d4','node-5d92deee',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-3cfa68d4','node-5d92deee',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-3cfa68d4','node-5d92deee',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-3cfa68d4','node-5d92deee',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-3cfa68d4','node-5d92deee',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-3cfa68d4','node-5d92deee',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-3cfa68d4','node-5d92deee',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-3cfa68d4','node-5d92deee',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-3cfa68d4','node-5d92deee',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-3cfa68d4','node-5d92deee',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-3cfa68d4','node-5d92deee',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-3cfa68d4','node-5d92deee',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-3cfa68d4','node-5d92deee',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-3cfa68d4','node-5d92deee',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-3cfa68d4','node-5d92deee',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-3cfa68d4','node-5d92deee',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-3cfa68d4','node-5d92deee',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-3cfa68d4','node-5d92deee',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-3cfa68d4','node-5d92deee',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-3cfa68d4','node-5d92deee',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-3cfa68d4','node-5d92deee',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-3cfa68d4','node-5d92deee',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-3cfa68d4','node-5d92deee',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-3cfa68d4','node-5d92deee',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-3cfa68d4','node-5d92deee',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-3cfa68d4','node-5d92deee',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-3cfa68d4','node-5d92deee',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-3cfa68d4','node-5d92deee',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-3cfa68d4','node-5d92deee',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-3cfa68d4','node-5d92deee',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-3cfa68d4','node-5d92deee',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-3cfa68d4','node-5d92deee',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-3cfa68d4','node-5d92deee',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-3cfa68d4','node-5d92deee',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-3cfa68d4','node-5d92deee',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-3cfa68d4','node-5d92deee',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-3cfa68d4','node-5d92deee',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-3cfa68d4','node-5d92deee',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-3cfa68d4','node-5d92deee',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-471839cd','node-7ccd0594',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-471839cd','node-7ccd0594',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-471839cd','node-7ccd0594',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-471839cd','node-7ccd0594',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-471839cd','node-7ccd0594',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-471839cd','node-7ccd0594',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-471839cd','node-7ccd0594',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-471839cd','node-7ccd0594',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-471839cd','node-7ccd0594',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-471839cd','node-7ccd0594',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-471839cd','node-7ccd0594',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-471839cd','node-7ccd0594',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-471839cd','node-7ccd0594',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-471839cd','node-7ccd0594',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-471839cd','node-7ccd0594',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-471839cd','node-7ccd0594',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-471839cd','node-7ccd0594',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-471839cd','node-7ccd0594',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-471839cd','node-7ccd0594',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-471839cd','node-7ccd0594',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-471839cd','node-7ccd0594',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-471839cd','node-7ccd0594',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-471839cd','node-7ccd0594',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-471839cd','node-7ccd0594',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-471839cd','node-7ccd0594',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-471839cd','node-7ccd0594',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-471839cd','node-7ccd0594',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-471839cd','node-7ccd0594',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-471839cd','node-7ccd0594',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-471839cd','node-7ccd0594',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-471839cd','node-7ccd0594',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-471839cd','node-7ccd0594',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-471839cd','node-7ccd0594',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-471839cd','node-7ccd0594',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-471839cd','node-7ccd0594',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-471839cd','node-7ccd0594',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-471839cd','node-7ccd0594',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-471839cd','node-7ccd0594',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-471839cd','node-7ccd0594',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-471839cd','node-7ccd0594',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-471839cd','node-7ccd0594',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-471839cd','node-7ccd0594',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-471839cd','node-7ccd0594',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-471839cd','node-7ccd0594',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-471839cd','node-7ccd0594',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-471839cd','node-7ccd0594',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-471839cd','node-7ccd0594',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-471839cd','node-7ccd0594',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-471839cd','node-7ccd0594',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-471839cd','node-7ccd0594',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-471839cd','node-7ccd0594',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-471839cd','node-7ccd0594',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-471839cd','node-7ccd0594',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-471839cd','node-7ccd0594',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-471839cd','node-7ccd0594',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-471839cd','node-7ccd0594',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-471839cd','node-7ccd0594',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-471839cd','node-7ccd0594',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-471839cd','node-7ccd0594',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-471839cd','node-7ccd0594',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-471839cd','node-7ccd0594',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-471839cd','node-7ccd0594',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-471839cd','node-7ccd0594',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-471839cd','node-7ccd0594',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-471839cd','node-7ccd0594',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-471839cd','node-7ccd0594',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-471839cd','node-7ccd0594',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-471839cd','node-7ccd0594',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-471839cd','node-7ccd0594',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-471839cd','node-7ccd0594',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-471839cd','node-7ccd0594',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-471839cd','node-7ccd0594',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-471839cd','node-7ccd0594',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-471839cd','node-7ccd0594',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-471839cd','node-7ccd0594',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-471839cd','node-7ccd0594',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-471839cd','node-7ccd0594',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-471839cd','node-7ccd0594',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-471839cd','node-7ccd0594',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-471839cd','node-7ccd0594',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-471839cd','node-7ccd0594',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-471839cd','node-7ccd0594',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-471839cd','node-7ccd0594',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-471839cd','node-7ccd0594',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-471839cd','node-7ccd0594',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-471839cd','node-7ccd0594',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-471839cd','node-7ccd0594',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-471839cd','node-7ccd0594',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-471839cd','node-7ccd0594',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-471839cd','node-7ccd0594',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-471839cd','node-7ccd0594',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-471839cd','node-7ccd0594',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-471839cd','node-7ccd0594',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-471839cd','node-7ccd0594',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-471839cd','node-7ccd0594',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-471839cd','node-7ccd0594',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-471839cd','node-7ccd0594',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-471839cd','node-7ccd0594',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-471839cd','node-7ccd0594',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-471839cd','node-7ccd0594',100,1,2,400,4,0.5,0,1700000089.5);
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
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_losses_job_id ON losses (job_id);
COMMIT;
